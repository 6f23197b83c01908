import { microPerCredit } from '#contract/billing/prices.ts';
import { iso } from '../../meter/credits/months.ts';
import { nextPeriod, type SpendingLimit } from '../../meter/key-limits.ts';
import { type Hold, heldOf, type LedgerEntry, type Meter } from '../../meter/meter.ts';
import type { AccountEvent, MeterChange } from './event.ts';

type Change = MeterChange & { readonly before: Meter };

export function keyEvents(change: Change): AccountEvent[] {
  const { after, keyEvent, entries } = change;
  const reached = entries.flatMap((entry) => limitReached(change, entry));
  if (!keyEvent) return reached;
  const { type, at, keyId } = keyEvent;
  const data = { accountId: after.accountId, seq: after.seq, keyId };
  if (type !== 'rotated') return [{ type: `key.${type}`, at, data }];
  const { previousKeyId, previousExpiresAt } = keyEvent;
  const until = previousExpiresAt === undefined ? null : iso(previousExpiresAt);
  return [{ type: 'key.rotated', at, data: { ...data, previousKeyId, previousExpiresAt: until } }];
}

/**
 * A charge after which its key's limit has less than a credit left, as it had not before. What is held for calls that run does not count: it
 * may come back. Nor does a charge of a period that is over.
 */
function limitReached({ before, after }: Change, { type, at, amount, requestId }: LedgerEntry): AccountEvent[] {
  const hold = type === 'charge' && requestId !== undefined ? before.holds.get(requestId) : undefined;
  const budget = hold?.budget && after.budgets.get(hold.budget.id);
  if (!hold?.budget || !budget || budget.start !== hold.budget.start) return [];
  const limit = limitOf(after, hold, hold.budget.id);
  if (!limit) return [];
  const used = budget.used - heldOf(after, hold.budget);
  const isReached = (spent: number): boolean => limit.amount - spent < microPerCredit;
  if (!isReached(used) || isReached(used + amount)) return [];
  const resets = nextPeriod(limit.period, at);
  const data = {
    accountId: after.accountId,
    seq: after.seq,
    keyId: hold.keyId,
    limit: { credits: limit.amount / microPerCredit, period: limit.period },
    used: used / microPerCredit,
    resetsAt: resets === undefined ? null : iso(resets),
  };
  return [{ type: 'key.limit_reached', at, data }];
}

/** The limit of the key that called; where that has gone, of one that shares its budget. */
function limitOf({ keys }: Meter, { keyId }: Hold, budget: string): SpendingLimit | undefined {
  const own = keys.get(keyId)?.limit;
  if (own?.budget === budget) return own;
  return keys.values().find(({ limit }) => limit?.budget === budget)?.limit;
}
