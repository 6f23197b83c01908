import { formatAbout } from '../../../lib/format.ts';

/** A label, with its score where there is one. */
export const withScore = (label: string, score: number | null): string =>
  score === null ? label : `${label} ${formatAbout(score)}`;
