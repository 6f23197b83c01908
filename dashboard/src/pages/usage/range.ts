import { useState } from 'react';
import { dayOf, daysBetween } from '../../lib/usage.ts';

/** UTC days, both inclusive, as YYYY-MM-DD; empty where a field has none. */
export interface Range {
  readonly from: string;
  readonly to: string;
}
type RangeErrors = Readonly<Partial<Record<keyof Range, string | undefined>>>;

const dayMs = 86_400_000;
const spans = [
  { value: '7', label: 'Last 7 days', days: 7 },
  { value: '30', label: 'Last 30 days', days: 30 },
  { value: '90', label: 'Last 90 days', days: 90 },
] as const;
const defaultSpan = spans[1];
export const custom = 'custom';
export const spanChoices = [
  ...spans.map(({ value, label }) => ({ value, label })),
  { value: custom, label: 'Custom range' },
];

const firstDay = '1970-01-01';
const maxDays = 366;

/** What is wrong with a range, next to its field. A year that is being typed is one before 1970. */
export function rangeErrors({ from, to }: Range, today: string): RangeErrors {
  const errors = { from: dayError(from), to: dayError(to) ?? (to > today ? 'To must not be after today' : undefined) };
  if (errors.from !== undefined || errors.to !== undefined) return errors;
  if (from > to) return { from: 'From must not be after To' };
  return daysBetween(from, to).length > maxDays ? { from: `Choose a range of at most ${maxDays} days` } : {};
}

function dayError(day: string): string | undefined {
  if (day === '') return 'Enter a date';
  return day < firstDay ? 'Enter a date from 1970 on' : undefined;
}

/** The days that are looked at: `range` stays what it was until what is entered is one. */
export function useRange(today: string) {
  const [span, setSpan] = useState<string>(defaultSpan.value);
  const [entered, setEntered] = useState<Range>({ from: '', to: '' });
  const [chosen, setChosen] = useState<Range>();
  const days = spans.find(({ value }) => value === span)?.days ?? defaultSpan.days;
  const lastDays = { from: dayOf(Date.parse(today) - (days - 1) * dayMs), to: today };
  const range = span === custom && chosen ? chosen : lastDays;

  function enter(part: Partial<Range>): void {
    const next = { ...entered, ...part };
    setEntered(next);
    const { from, to } = rangeErrors(next, today);
    if (from === undefined && to === undefined) setChosen(next);
  }

  /** A custom range begins as what is shown. */
  function choose(next: string): void {
    if (next === custom) {
      setEntered(range);
      setChosen(range);
    }
    setSpan(next);
  }

  return { span, range, entered, choose, enter };
}
