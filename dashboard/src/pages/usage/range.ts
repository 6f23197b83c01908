import { useState } from 'react';
import { dayOf } from '../../lib/usage.ts';

/** UTC days, both inclusive, as YYYY-MM-DD; empty where a field has none. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
const spans = [
  { value: '7', label: 'Last 7 days', days: 7 },
  { value: '30', label: 'Last 30 days', days: 30 },
  { value: '90', label: 'Last 90 days', days: 90 },
] as const;
const standard = spans[1];
export const custom = 'custom';
export const spanChoices = [
  ...spans.map(({ value, label }) => ({ value, label })),
  { value: custom, label: 'Custom range' },
];

/** What is wrong with a range, next to its field. */
export function rangeErrors({ from, to }: Range): Partial<Range> {
  if (from === '' || to === '') return { ...(from === '' && { from: noDate }), ...(to === '' && { to: noDate }) };
  return from > to ? { from: 'From must not be after To.' } : {};
}
const noDate = 'Enter a date.';

/** The days that are looked at: `range` stays what it was until what is entered is one. */
export function useRange(today: string) {
  const [span, setSpan] = useState<string>(standard.value);
  const [entered, setEntered] = useState<Range>({ from: '', to: '' });
  const [chosen, setChosen] = useState<Range>();
  const days = spans.find(({ value }) => value === span)?.days ?? standard.days;
  const lastDays = { from: dayOf(Date.parse(today) - (days - 1) * dayMs), to: today };
  const range = span === custom && chosen ? chosen : lastDays;

  function enter(part: Partial<Range>): void {
    const next = { ...entered, ...part };
    setEntered(next);
    if (Object.keys(rangeErrors(next)).length === 0) setChosen(next);
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
