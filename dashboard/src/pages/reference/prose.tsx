import type { ReactNode } from 'react';

/** A text of the API document, in which code stands between backticks. */
export const Prose = ({ text }: { text: string }): ReactNode =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
