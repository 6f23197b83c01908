import { daysBetween } from '../../lib/usage.ts';

/** UTC days, both inclusive, as YYYY-MM-DD; empty where a field has none. */
export interface Range {
  readonly from: string;
  readonly to: string;
}
type RangeErrors = Readonly<Partial<Record<keyof Range, string | undefined>>>;

const firstDay = '1970-01-01';
const maxDays = 366;

/** What is wrong with a range, next to its field. A year that is being typed is one before 1970. */
export function rangeErrors({ from, to }: Range, today: string): RangeErrors {
  const errors = { from: dayError(from), to: dayError(to) ?? (to > today ? 'To must not be after today' : undefined) };
  if (errors.from !== undefined || errors.to !== undefined) return errors;
  if (from > to) return { from: 'From must not be after To' };
  return daysBetween(from, to).length > maxDays ? { from: `Choose a range of at most ${maxDays} days` } : {};
}

export function isRange(range: Range, today: string): boolean {
  const { from, to } = rangeErrors(range, today);
  return from === undefined && to === undefined;
}

function dayError(day: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) return 'Enter a date';
  return day < firstDay ? 'Enter a date from 1970 on' : undefined;
}
