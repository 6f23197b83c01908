import { useState } from 'react';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { dayOf } from '../../lib/usage.ts';
import { isRange, type Range } from './range.ts';

const dayMs = 86_400_000;
export const custom = 'custom';
const lastDays = ['30', '7', '90'] as const;
export const spanChoices = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: custom, label: 'Custom range' },
];

/** The days that are shown, by the URL's query: `range` stays what it was until what is entered is one. */
export function useRange(today: string) {
  const [query, change] = useQuery();
  const [span] = useQueryChoice('days', [...lastDays, custom]);
  const [entered, setEntered] = useState<Range>({ from: query.get('from') ?? '', to: query.get('to') ?? '' });
  const [chosen, setChosen] = useState<Range | undefined>(isRange(entered, today) ? entered : undefined);
  const days = span === custom ? Number(lastDays[0]) : Number(span);
  const last = { from: dayOf(Date.parse(today) - (days - 1) * dayMs), to: today };
  const range = span === custom && chosen ? chosen : last;

  function enter(part: Partial<Range>): void {
    const next = { ...entered, ...part };
    setEntered(next);
    if (!isRange(next, today)) return;
    setChosen(next);
    change({ ...next });
  }

  /** A custom range begins as what is shown. */
  function choose(next: string): void {
    if (next !== custom)
      return change({ days: next === lastDays[0] ? undefined : next, from: undefined, to: undefined });
    setEntered(range);
    setChosen(range);
    change({ days: custom, ...range });
  }

  return { span, range, entered, choose, enter };
}
