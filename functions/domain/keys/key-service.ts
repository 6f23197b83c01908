import type { AuditEvent } from '#contract/operators/operators.ts';
import type { Meter } from '../meter/meter.ts';
import type { Clock, OutgoingMail, Random } from '../shared/ports.ts';
import {
  changedKey,
  type EnforceChangeLimit,
  issueKey,
  type KeyChanges,
  keyEnds,
  keyEvent,
  keyReviser,
  keyRotation,
  refuseUnlessDone,
  withContentDays,
} from './key-changes.ts';
import {
  type Budgets,
  createdKeyView,
  requireFuture,
  expiryOf,
  hasEnded,
  isReadable,
  type KeyLimitChanges,
  type KeyRecord,
  type KeyStore,
  limitsOf,
  newestFirst,
  removeSurplus,
  keyView,
  type StoredKey,
  surplusOf,
  withLimits,
} from './key.ts';

interface NewKey extends Omit<KeyChanges, 'status'> {
  readonly name: string;
}

/** Returns the email about a new key of an account to the person who created it, or undefined after too many. */
export type KeyNotice = (
  accountId: number,
  creator: KeyCreator,
  record: KeyRecord,
) => Promise<OutgoingMail | undefined>;

export interface KeyCreator {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly confirmedAt?: number;
}

/** `before`: days until the change. */
export type ContentEvent = (before: number | null, at: number) => AuditEvent;

export type KeyService = ReturnType<typeof keyService>;

interface KeyAccounts {
  readonly enforceChangeLimit: EnforceChangeLimit;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
  readonly noticeOf: KeyNotice;
}

/** Manages API keys (docs/security.md#credentials and docs/accounts.md#keys). */
export function keyService(
  keys: KeyStore,
  { enforceChangeLimit, findMeter, noticeOf }: KeyAccounts,
  clock: Clock,
  random: Random,
) {
  const budgets = keyBudgets(keys, findMeter);
  const revise = keyReviser(keys, budgets, enforceChangeLimit, clock);
  const uncounted = keyReviser(keys, budgets, async () => undefined, clock);
  const { revoke, suspendByOperator } = keyEnds({
    keys,
    revise: { ofOwner: revise, ofOperator: uncounted },
    enforceChangeLimit,
    clock,
  });
  const rotate = keyRotation({ keys, budgets, enforceChangeLimit, noticeOf, clock, random });

  const checkExpiry = (expiresAt: string | null | undefined): void => requireFuture(expiresAt, clock.now());

  /** `creator`: the signed-in person. */
  async function create(creator: KeyCreator, input: NewKey, accountId = creator.id) {
    const now = clock.now();
    const meter = await budgets.limitedMeter(accountId, [input]);
    const stored = await keys.list(accountId);
    const issued = issueKey(
      accountId,
      { name: input.name, createdAt: now, createdBy: creator.id, ...expiryOf(input.expiresAt) },
      random,
    );
    const record = withLimits(issued.record, input);
    const unused = meter ? unusedBudgets(meter, stored, now) : [];
    await enforceChangeLimit(accountId);
    const notice = await noticeOf(accountId, creator, record);
    const happened = { keyEvent: keyEvent('created', record.id, now), notice };
    refuseUnlessDone(await keys.create(accountId, record, { now, unused, ...happened }));
    await removeSurplus(keys, accountId, { stored, now });
    return createdKeyView(record, issued.key, { budgets: meter?.budgets ?? new Map(), now });
  }

  async function list(accountId: number) {
    const now = clock.now();
    const stored = await keys.list(accountId);
    const surplus = new Set(surplusOf(stored, now));
    const records = stored.filter((key) => !surplus.has(key));
    const spent = await budgets.budgetsOf(accountId, records.filter(isReadable));
    return records.toSorted(newestFirst).map((record) => keyView(record, { budgets: spent, now }));
  }

  const change = (accountId: number, id: string, changes: KeyChanges) =>
    revise(accountId, id, (record, now) => changedKey(record, changes, now));

  /** Changes how long prompts and responses of later calls are stored, with its audit event. */
  const storeContent = (accountId: number, id: string, days: number | null, eventOf: ContentEvent) =>
    revise(
      accountId,
      id,
      (record) => withContentDays(record, days),
      (before, at) => eventOf(before.contentDays ?? null, at),
    );

  /** Revokes the keys that a member created, without counting the changes. */
  async function revokeMadeBy(accountId: number, userId: number): Promise<void> {
    const made = (await keys.list(accountId)).filter(isReadable).filter((key) => key.createdBy === userId);
    for (const { id } of made.filter(({ status }) => status !== 'revoked'))
      await uncounted(accountId, id, (record) => ({ ...record, status: 'revoked' }));
  }

  return { checkExpiry, create, list, change, storeContent, revoke, revokeMadeBy, rotate, suspendByOperator };
}

const maxRemoved = 100;

function keyBudgets(keys: KeyStore, findMeter: (accountId: number) => Promise<Meter | undefined>) {
  async function limitedMeter(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Meter | undefined> {
    return limited.some(({ limit }) => limit) ? findMeter(accountId) : undefined;
  }

  async function budgetsOf(accountId: number, limited: readonly KeyLimitChanges[]): Promise<Budgets> {
    return (await limitedMeter(accountId, limited))?.budgets ?? new Map();
  }

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

/** Returns budgets without a usable key or running call. Requires that the meter was read before the keys. */
function unusedBudgets({ budgets, holds }: Meter, stored: readonly StoredKey[], now: number): string[] {
  const usable = stored.filter(isReadable).filter((key) => !hasEnded(key, now));
  const held = holds.values().map(({ budget }) => budget?.id);
  const inUse = new Set([...usable.map((key) => limitsOf(key).limit?.budget), ...held]);
  return [...budgets.keys()].filter((id) => !inUse.has(id)).slice(0, maxRemoved);
}

/** Returns whether a change ends a limited key or replaces its limit, which may leave unused budgets. */
function mayLeaveBudgets(before: KeyRecord, after: KeyRecord, now: number): boolean {
  return hasEnded(after, now) || limitsOf(before).limit?.budget !== limitsOf(after).limit?.budget;
}
