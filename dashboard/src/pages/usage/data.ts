import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { useState } from 'react';
import { dayMs, dayOf } from '#contract/shared/time.ts';
import { type KeyRecord, keyTitle } from '../../api/keys.ts';
import type { Member } from '../../api/members.ts';
import { formatDay } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks.ts';
import { serviceTitle } from '../../lib/offer.ts';
import { daysBetween, type Total, totalsBy, type UsageRow } from '../../lib/usage.ts';

/** The first one is the default. */
export const groupings = ['service', 'day', 'model', 'key', 'member'] as const;
export type Grouping = (typeof groupings)[number];

const groupTitles: Readonly<Record<Grouping, MessageDescriptor>> = {
  day: msg`Day`,
  service: msg`Service`,
  model: msg`Model`,
  key: msg({ message: 'Key', comment: 'API key' }),
  member: msg`Member`,
};
export const groupTitle = (group: Grouping): string => i18n._(groupTitles[group]);

/** Name of the group that a row belongs to. */
function namer(group: Grouping, keys: readonly KeyRecord[], members: readonly Member[]): (row: UsageRow) => string {
  if (group === 'day') return ({ date }) => formatDay(date);
  if (group === 'service') return ({ service }) => serviceTitle(service ?? '');
  if (group === 'model') return ({ model }) => model ?? '';
  const nameOf = group === 'member' ? creatorNamer(members) : keyTitle;
  const names = new Map(keys.map((key) => [key.id, nameOf(key)]));
  return ({ keyId }) => (keyId ? (names.get(keyId) ?? t`Deleted key`) : t`Dashboard session`);
}

/** Returns the name of the member who created a key, with the email if another member has the same name. */
function creatorNamer(members: readonly Member[]): (key: KeyRecord) => string {
  const isShared = (name: string): boolean => members.filter((one) => one.name === name).length > 1;
  const names = new Map(
    members.map(({ userId, name, email }) => [userId, isShared(name) ? `${name} (${email})` : name]),
  );
  return ({ createdBy }) => names.get(createdBy ?? 0) ?? t`Former member`;
}

/** Totals by group: days in reverse order, other groups by credits. */
export function usageTotals(
  rows: readonly UsageRow[],
  days: readonly string[],
  group: Grouping,
  keys: readonly KeyRecord[],
  members: readonly Member[] = [],
): Total[] {
  const totals = totalsBy(rows, days, namer(group, keys, members));
  if (group !== 'day') return totals;
  const places = new Map(days.map((day, place) => [formatDay(day), place]));
  return totals.toSorted((one, other) => (places.get(other.name) ?? 0) - (places.get(one.name) ?? 0));
}

export const custom = 'custom';
const lastDays = ['30', '7', '90'] as const;
export const spanChoices = () => [
  { value: '7', label: t`Last 7 days` },
  { value: '30', label: t`Last 30 days` },
  { value: '90', label: t`Last 90 days` },
  { value: custom, label: t`Custom range` },
];

/** Date fields in the URL's query. `range` stays the last valid range while another is being typed. */
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

  /** A custom range starts with the days shown. */
  function choose(next: string): void {
    if (next !== custom)
      return change({ days: next === lastDays[0] ? undefined : next, from: undefined, to: undefined });
    setEntered(range);
    setChosen(range);
    change({ days: custom, ...range });
  }

  return { span, range, entered, choose, enter };
}

/** UTC days, inclusive, as YYYY-MM-DD. Empty strings until chosen. */
interface Range {
  readonly from: string;
  readonly to: string;
}
type RangeErrors = Readonly<Partial<Record<keyof Range, string | undefined>>>;

const firstDay = '1970-01-01';
const maxDays = 366;

/** Errors by field. */
export function rangeErrors({ from, to }: Range, today: string): RangeErrors {
  const errors = { from: dayError(from), to: dayError(to) ?? (to > today ? t`To must not be after today` : undefined) };
  if (errors.from !== undefined || errors.to !== undefined) return errors;
  if (from > to) return { from: t`From must not be after To` };
  return daysBetween(from, to).length > maxDays ? { from: t`Choose a range of at most ${maxDays} days` } : {};
}

function isRange(range: Range, today: string): boolean {
  const { from, to } = rangeErrors(range, today);
  return from === undefined && to === undefined;
}

function dayError(day: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) return t`Enter a date`;
  return day < firstDay ? t`Enter a date in 1970 or later` : undefined;
}
