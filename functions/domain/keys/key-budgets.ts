import type { Meter } from '../meter/meter.ts';
import { hasEnded, isReadable, type KeyLimitChanges, type KeyRecord, limitsOf, type StoredKey } from './key-record.ts';
import type { KeyStore } from './key-store.ts';
import type { Budgets } from './shown-key.ts';

/** The meter forgets at most so many budgets with a change. */
const maxRemoved = 100;

/** What was spent of the keys' limits, as the account's meter has it. */
export function keyBudgets(keys: KeyStore, findMeter: (accountId: number) => Promise<Meter | undefined>) {
  /** The account's meter, read where one of the keys has a spending limit. */
  async function limitedMeter(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Meter | undefined> {
    return limited.some(({ limit }) => limit) ? findMeter(accountId) : undefined;
  }

  /** What was spent of limits, read where one of the keys has any. */
  async function budgetsOf(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Budgets> {
    return (await limitedMeter(accountId, limited))?.budgets ?? new Map();
  }

  /** The budgets that nothing spends from once a key is changed. */
  async function unusedAfter(
    accountId: number,
    { before, after }: { before: KeyRecord; after: KeyRecord },
    { meter, now }: { meter: Meter | undefined; now: number },
  ): Promise<string[]> {
    if (!meter || meter.budgets.size === 0 || !mayLeaveBudgets(before, after, now)) return [];
    const others = (await keys.list(accountId)).filter(({ id }) => id !== after.id);
    return unusedBudgets(meter, [...others, after], now);
  }

  return { limitedMeter, budgetsOf, unusedAfter };
}

export type KeyBudgets = ReturnType<typeof keyBudgets>;

/** Budgets, as they were read before the keys, that no usable key has, and no running call gives back to; of many, some. */
export function unusedBudgets({ budgets, holds }: Meter, stored: readonly StoredKey[], now: number): string[] {
  const usable = stored.filter(isReadable).filter((key) => !hasEnded(key, now));
  const held = holds.values().map(({ budget }) => budget?.id);
  const inUse = new Set([...usable.map((key) => limitsOf(key).limit?.budget), ...held]);
  return [...budgets.keys()].filter((id) => !inUse.has(id)).slice(0, maxRemoved);
}

/** Whether a change ends a key with a limit, or gives it another or none: each can leave budgets that nothing spends from. */
function mayLeaveBudgets(before: KeyRecord, after: KeyRecord, now: number): boolean {
  return hasEnded(after, now) || limitsOf(before).limit?.budget !== limitsOf(after).limit?.budget;
}
