import type { Meter } from '../meter/meter.ts';
import type { Clock, Random } from '../shared/ports.ts';
import {
  changedKey,
  type DemandChange,
  issueKey,
  type KeyChanges,
  keyEnds,
  keyEvent,
  keyReviser,
  keyRotation,
  refuseUnlessDone,
} from './key-changes.ts';
import {
  type Budgets,
  created,
  demandFuture,
  expiryOf,
  hasEnded,
  isReadable,
  type KeyLimitChanges,
  type KeyRecord,
  type KeyStore,
  limitsOf,
  newestFirst,
  removeSurplus,
  shown,
  type StoredKey,
  surplusOf,
  withLimits,
} from './key.ts';

/** A new key; `expiresAt` in ISO 8601, null meaning never. */
interface NewKey extends Omit<KeyChanges, 'status'> {
  readonly name: string;
}

export type KeyService = ReturnType<typeof keyService>;

interface KeyAccounts {
  readonly demandChange: DemandChange;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

/** The life of API keys (docs/security.md#credentials and docs/accounts.md#keys). */
export function keyService(keys: KeyStore, { demandChange, findMeter }: KeyAccounts, clock: Clock, random: Random) {
  const budgets = keyBudgets(keys, findMeter);
  const revise = keyReviser(keys, budgets, demandChange, clock);
  const ofOperator = keyReviser(keys, budgets, async () => undefined, clock);
  const { revoke, suspendByOperator } = keyEnds({ keys, revise: { ofOwner: revise, ofOperator }, demandChange, clock });
  const rotate = keyRotation({ keys, budgets, demandChange, clock, random });

  const checkExpiry = (expiresAt: string | null | undefined): void => demandFuture(expiresAt, clock.now());

  async function create(accountId: number, input: NewKey) {
    const now = clock.now();
    const meter = await budgets.limitedMeter(accountId, [input]);
    const stored = await keys.list(accountId);
    const made = issueKey(accountId, { name: input.name, createdAt: now, ...expiryOf(input.expiresAt) }, random);
    const record = withLimits(made.record, input);
    const unused = meter ? unusedBudgets(meter, stored, now) : [];
    const happened = { keyEvent: keyEvent('created', record.id, now) };
    await demandChange(accountId);
    refuseUnlessDone(await keys.create(accountId, record, { now, unused, ...happened }));
    await removeSurplus(keys, accountId, { stored, now });
    return created(record, made.key, { budgets: meter?.budgets ?? new Map(), now });
  }

  /** All that can still be used, and the newest of those that have ended; newest first. */
  async function list(accountId: number) {
    const now = clock.now();
    const stored = await keys.list(accountId);
    const surplus = new Set(surplusOf(stored, now));
    const records = stored.filter((key) => !surplus.has(key));
    const spent = await budgets.budgetsOf(accountId, records.filter(isReadable));
    return records.toSorted(newestFirst).map((record) => shown(record, { budgets: spent, now }));
  }

  const change = (accountId: number, id: string, changes: KeyChanges) =>
    revise(accountId, id, (record, now) => changedKey(record, changes, now));

  return { checkExpiry, create, list, change, revoke, rotate, suspendByOperator };
}

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
function unusedBudgets({ budgets, holds }: Meter, stored: readonly StoredKey[], now: number): string[] {
  const usable = stored.filter(isReadable).filter((key) => !hasEnded(key, now));
  const held = holds.values().map(({ budget }) => budget?.id);
  const inUse = new Set([...usable.map((key) => limitsOf(key).limit?.budget), ...held]);
  return [...budgets.keys()].filter((id) => !inUse.has(id)).slice(0, maxRemoved);
}

/** Whether a change ends a key with a limit, or gives it another or none: each can leave budgets that nothing spends from. */
function mayLeaveBudgets(before: KeyRecord, after: KeyRecord, now: number): boolean {
  return hasEnded(after, now) || limitsOf(before).limit?.budget !== limitsOf(after).limit?.budget;
}
