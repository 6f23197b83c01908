import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import { hasEnded, isWorking, type KeyRecord, type KeyWrite, limitsOf, type StoredKey } from '#domain/keys/key.ts';
import { contentIdOf } from '#domain/meter/limits.ts';
import type { KeyEvent } from '#domain/meter/meter.ts';
import { usableKeysKey } from '../accounts/account-items.ts';
import { budgetName, contentName, keyNoteRow, keyRow } from '../meter/key-rows.ts';
import type { failedConditions, TransactItem } from '../shared/transaction.ts';

/** Stored for keys without expiry: the end of the year 9999, in epoch seconds. */
const never = 253_402_300_799;

/** An item whose map `k` lists an account's keys of one kind, with their expiry in epoch seconds. */
export interface KeyList {
  readonly TableName: string;
  readonly Key: Record<string, unknown>;
  readonly limit: number;
  readonly fullResult: KeyWrite;
  includes(key: KeyRecord, now: number): boolean;
  entryOf(key: KeyRecord): unknown;
  readonly budgetName?: (id: string) => string;
  /** Attribute with the days for which a key's prompts and responses are stored. */
  readonly contentName?: (keyId: string) => string;
  readonly noteOf?: (event: KeyEvent) => unknown;
}

export interface KeyListChange {
  readonly changed: readonly KeyRecord[];
  readonly revoked: readonly string[];
  readonly now: number;
  readonly unused?: readonly string[] | undefined;
  readonly keyEvent?: KeyEvent | undefined;
}

/** Usable keys are in the account's meter, which every call reads. */
export function workingKeys(metersTable: string, accountId: number): KeyList {
  const Key = { a: accountId };
  return {
    TableName: metersTable,
    Key,
    limit: limits.activeKeys,
    fullResult: 'too many active',
    includes: isWorking,
    entryOf: (record) => keyRow({ expiresAt: inSeconds(record), ...limitsOf(record) }),
    budgetName,
    contentName: (keyId) => contentName(contentIdOf(keyId)),
    noteOf: keyNoteRow,
  };
}

export function usableKeys(accountsTable: string, accountId: number): KeyList {
  const includes = (key: KeyRecord, now: number) => !hasEnded(key, now);
  const Key = usableKeysKey(accountId);
  return {
    TableName: accountsTable,
    Key,
    limit: limits.usableKeys,
    fullResult: 'too many usable',
    includes,
    entryOf: inSeconds,
  };
}

export function usableKeysRow(accountId: number, stored: readonly StoredKey[], now: number) {
  const usable = stored.filter((key) => !hasEnded(key, now));
  return { ...usableKeysKey(accountId), k: Object.fromEntries(usable.map((key) => [key.id, inSeconds(key)])) };
}

/**
 * Updates the map within its limit. Removes an expired key only if it is still present and expired, so that only one of
 * several concurrent writes removes it.
 */
export function keyListUpdate(
  list: KeyList,
  { changed, revoked, now, unused = [], keyEvent }: KeyListChange,
  expired: readonly string[],
): TransactItem {
  const budgets = list.budgetName ? unused.map(list.budgetName) : [];
  const held = changed.filter((record) => list.includes(record, now));
  const leaving = changed.filter((record) => !held.includes(record)).map(({ id }) => id);
  const removedIds = [...leaving, ...revoked, ...expired];
  const names = [...held.map(({ id }) => id), ...removedIds];
  const name = (id: string) => `#k${names.indexOf(id)}`;
  const exist = (ids: string[]) => ids.map((id) => `attribute_exists(k.${name(id)})`);
  // Only the last key may be new.
  const hasCapacity = [
    'size(k) < :max',
    ...exist([...held.slice(0, -1).map(({ id }) => id), ...leaving]),
    ...expired.map((id) => `(k.${name(id)} <= :now OR k.${name(id)}.x <= :now)`),
  ];
  const areListed = exist(held.map(({ id }) => id));
  const fits = `((${hasCapacity.join(' AND ')}) OR (${areListed.join(' AND ')}))`;
  const note = keyEvent && list.noteOf?.(keyEvent);
  const contents = contentChanges(list, held, removedIds);
  const set = [
    ...held.map(({ id }, index) => `k.${name(id)} = :entry${index}`),
    ...contents.set.map(({ place }) => `${place} = :${place.slice(1)}`),
    ...(note ? ['#last = :note'] : []),
  ];
  const removed = [
    ...(note ? [] : ['#last']),
    ...removedIds.map((id) => `k.${name(id)}`),
    ...budgets.map((_, index) => `#budget${index}`),
    ...contents.removed.map(({ place }) => place),
  ];
  return {
    Update: {
      TableName: list.TableName,
      Key: list.Key,
      UpdateExpression: [
        set.length > 0 ? `SET ${set.join(', ')}` : '',
        removed.length > 0 ? `REMOVE ${removed.join(', ')}` : '',
      ].join(' '),
      ConditionExpression: ['attribute_exists(k)', ...(held.length > 0 ? [fits] : [])].join(' AND '),
      ExpressionAttributeNames: {
        '#last': 'last',
        ...Object.fromEntries(names.map((id) => [name(id), id])),
        ...Object.fromEntries(budgets.map((budget, index) => [`#budget${index}`, budget])),
        ...Object.fromEntries([...contents.set, ...contents.removed].map((one) => [one.place, one.name])),
      },
      ...((held.length > 0 || note !== undefined) && {
        ExpressionAttributeValues: {
          ...(held.length > 0 && { ':max': list.limit + removedIds.length }),
          ...(held.length > 0 && expired.length > 0 && { ':now': Math.floor(now / 1000) }),
          ...Object.fromEntries(held.map((record, index) => [`:entry${index}`, list.entryOf(record)])),
          ...Object.fromEntries(contents.set.map(({ place, days }) => [`:${place.slice(1)}`, days])),
          ...(note !== undefined && { ':note': note }),
        },
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** A key that leaves the list, or no longer stores prompts and responses, has no attribute. */
function contentChanges({ contentName: nameOf }: KeyList, held: readonly KeyRecord[], removedIds: readonly string[]) {
  if (!nameOf) return { set: [], removed: [] };
  const kept = held.map(({ id, contentDays: days }) => ({ id, days }));
  const changes = [...kept, ...removedIds.map((id) => ({ id, days: undefined }))].map(({ id, days }, index) => ({
    place: `#d${index}`,
    name: nameOf(id),
    days,
  }));
  return {
    set: changes.filter(({ days }) => days !== undefined),
    removed: changes.filter(({ days }) => days === undefined),
  };
}

function inSeconds({ expiresAt }: StoredKey): number {
  return expiresAt === undefined ? never : Math.ceil(expiresAt / 1000);
}

/** Returns the expired keys of the item that failed the condition, except the changed ones. */
export function expiredIn(
  item: ReturnType<typeof failedConditions>[number]['Item'],
  { changed, now }: KeyListChange,
): string[] {
  const map = v.safeParse(v.object({ k: v.record(v.string(), Entry) }), item && unmarshall(item));
  if (!map.success) return [];
  const others = Object.entries(map.output.k).filter(([id]) => !changed.some((record) => record.id === id));
  return others.filter(([, expiresAt]) => expiresAt * 1000 <= now).map(([id]) => id);
}

const Entry = v.pipe(
  v.union([v.number(), v.object({ x: v.number() })]),
  v.transform((entry) => (typeof entry === 'number' ? entry : entry.x)),
);
