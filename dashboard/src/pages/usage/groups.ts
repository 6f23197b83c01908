import type { KeyRecord } from '../../api/keys/key-list.ts';
import { keyTitle } from '../../api/keys/playground-keys.ts';
import { formatDay } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';
import { type Total, totalsBy, type UsageRow } from '../../lib/usage.ts';

/** What usage can be grouped by; the first one is the default. */
export const groupIds = ['service', 'day', 'model', 'key'] as const;
export type Group = (typeof groupIds)[number];

export const groups: readonly { readonly id: Group; readonly title: string }[] = [
  { id: 'day', title: 'Day' },
  { id: 'service', title: 'Service' },
  { id: 'model', title: 'Model' },
  { id: 'key', title: 'Key' },
];

export const groupTitle = (group: Group): string => groups.find(({ id }) => id === group)?.title ?? '';

/** What a row of the usage is summed under. */
function namer(group: Group, keys: readonly KeyRecord[]): (row: UsageRow) => string {
  if (group === 'day') return ({ date }) => formatDay(date);
  if (group === 'service') return ({ service }) => serviceTitle(service ?? '');
  if (group === 'model') return ({ model }) => model ?? '';
  const names = new Map(keys.map((key) => [key.id, keyTitle(key)]));
  return ({ keyId }) => (keyId ? (names.get(keyId) ?? 'Deleted key') : 'Dashboard session');
}

/** The sums of a group: days in their order, the newest first; all else by credits, the largest first. */
export function usageTotals(
  rows: readonly UsageRow[],
  days: readonly string[],
  group: Group,
  keys: readonly KeyRecord[],
): Total[] {
  const totals = totalsBy(rows, days, namer(group, keys));
  if (group !== 'day') return totals;
  const places = new Map(days.map((day, place) => [formatDay(day), place]));
  return totals.toSorted((one, other) => (places.get(other.name) ?? 0) - (places.get(one.name) ?? 0));
}
