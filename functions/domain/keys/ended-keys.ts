import { limits } from '#contract/shared/limits.ts';
import { hasEnded, type StoredKey } from './key-record.ts';
import type { KeyStore } from './key-store.ts';

/** An account that has more, from before there was a limit, loses them a hundred at a time. */
const maxRemoved = 100;

/** Of the keys that have ended, all but the newest. */
export function surplusOf(stored: readonly StoredKey[], now: number): StoredKey[] {
  const ended = stored.filter((key) => hasEnded(key, now));
  return ended.toSorted(newestFirst).slice(limits.endedKeys);
}

/** Deletes the oldest keys that have ended. */
export async function removeSurplus(
  keys: KeyStore,
  accountId: number,
  { stored, now }: { stored: readonly StoredKey[]; now: number },
): Promise<void> {
  const surplus = surplusOf(stored, now).slice(0, maxRemoved);
  await Promise.all(surplus.map((key) => keys.remove(accountId, key)));
}

export function newestFirst(one: StoredKey, other: StoredKey): number {
  return (other.createdAt ?? 0) - (one.createdAt ?? 0);
}
