import type { KeyRecord } from '../../api/key-list.ts';
import { formatDay } from '../../lib/format.ts';
import { serviceTitle } from '../../lib/names.ts';
import type { UsageRow } from '../../lib/usage.ts';

export type Group = 'day' | 'service' | 'model' | 'key';

export const groups: readonly { readonly id: Group; readonly title: string }[] = [
  { id: 'day', title: 'Day' },
  { id: 'service', title: 'Service' },
  { id: 'model', title: 'Model' },
  { id: 'key', title: 'Key' },
];

/** What a row of the usage is summed under. */
export function namer(group: Group, keys: readonly KeyRecord[]): (row: UsageRow) => string {
  if (group === 'day') return ({ date }) => formatDay(date);
  if (group === 'service') return ({ service }) => serviceTitle(service ?? '');
  if (group === 'model') return ({ model }) => model ?? '';
  const names = new Map(keys.map(({ id, name, lastFour }) => [id, `${name} …${lastFour}`]));
  return ({ keyId }) => (keyId ? (names.get(keyId) ?? 'Deleted key') : 'Dashboard session');
}
