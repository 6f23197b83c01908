import type { ReactNode } from 'react';
import css from './plain-text.module.css';

interface PlainTextProps {
  readonly isStreaming?: boolean;
  readonly children: ReactNode;
}

/** A text as it came, its line breaks too. */
export function PlainText({ isStreaming = false, children }: PlainTextProps) {
  return (
    <div className={css.text} dir="auto">
      {children}
      {isStreaming && <Caret />}
    </div>
  );
}

/** Where more text is to come. */
export const Caret = () => <span className={css.caret} />;
