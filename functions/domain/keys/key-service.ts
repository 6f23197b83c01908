import type { Meter } from '../meter/meter.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { changedKey, type KeyChanges } from './changes/change-key.ts';
import { keyEnds } from './changes/end-key.ts';
import { issueKey } from './changes/issue-key.ts';
import { keyEvent } from './changes/key-events.ts';
import { type DemandChange, refuseUnlessDone } from './changes/key-refusals.ts';
import { keyReviser } from './changes/revise-key.ts';
import { keyRotation } from './changes/rotate-key.ts';
import { newestFirst, removeSurplus, surplusOf } from './ended-keys.ts';
import { keyBudgets, unusedBudgets } from './key-budgets.ts';
import { demandFuture, expiryOf } from './key-expiry.ts';
import { isReadable, withLimits } from './key-record.ts';
import type { KeyStore } from './key-store.ts';
import { created, shown } from './shown-key.ts';

/** A new key; `expiresAt` in ISO 8601, null meaning never. */
interface NewKey extends Omit<KeyChanges, 'status'> {
  readonly name: string;
}

export type KeyService = ReturnType<typeof keyService>;

interface KeyAccounts {
  readonly demandChange: DemandChange;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
}

/** The life of API keys (docs/design/accounts.md#keys and docs/design/accounts.md#key-endpoints). */
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
