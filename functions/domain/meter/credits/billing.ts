import { freePlanRank, monthlyGrant, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { isSubscribed, type LedgerEntry, type Meter, type Period, type SubscriptionChange } from '../meter.ts';
import { onPlan, unlimited } from '../rate-window.ts';
import { addLot, currentLots, expireLots } from './lots.ts';
import { addMonths, monthsSince } from './months.ts';

/** A meter and what happened to it on the way, oldest first. */
export interface Settled {
  readonly meter: Meter;
  readonly entries: readonly LedgerEntry[];
}

/** Months a grant outlives the month it was given for (docs/specification.md#credits rule 1, docs/credits.md#grants). */
export const rollOverMonths = 3;

/** Entries one write may carry, so that the item stays small after years of silence; the rest stays due. */
export const entriesPerWrite = 48;

export const periodStart = ({ anchor, index }: Period): number => addMonths(anchor, index);
export const periodEnd = ({ anchor, index }: Period): number => addMonths(anchor, index + 1);

/**
 * A new account's meter, with its first free month granted; from `freeFrom` on where its owner has had one before. Both
 * in epoch seconds.
 */
export function openMeter(accountId: number, now: number, plans: Plans, freeFrom = 0): Settled {
  const anchor = Math.max(now, freeFrom);
  const free = plans(freePlanRank);
  const bare: Meter = {
    accountId,
    seq: 0,
    keys: new Map(),
    budgets: new Map(),
    planRank: freePlanRank,
    maxConcurrentCalls: free.maxConcurrentCalls,
    callsPerMonth: free.callsPerMonth ?? unlimited,
    callsThisMonth: 0,
    admitted: 0,
    ceiling: free.callsPerMinute ?? unlimited,
    buckets: new Map(),
    spendable: 0,
    holds: new Map(),
    lots: [],
    lotsGranted: 0,
    used: {},
    period: { anchor, index: anchor > now ? -1 : 0 },
    freeAnchor: anchor,
    freeMonth: -1,
    due: now,
  };
  return counted(bare, grantMonth(bare, now, plans), now);
}

/** Brings a meter to `now` (epoch seconds): expires lots, ends months, grants new ones; as if it had been watched all along. */
export function bringCurrent(meter: Meter, now: number, plans: Plans): Settled {
  let settled: Settled = { meter, entries: [] };
  while (settled.entries.length < entriesPerWrite && nextTurn(settled.meter) <= now) {
    const turn = nextTurn(settled.meter);
    settled = chain(settled, (current) => expireLots(current, turn));
    settled = chain(settled, (current) =>
      turn === subscriptionTurn(current) ? endSubscription(current, turn, plans) : endMonth(current, turn, plans),
    );
  }
  if (nextTurn(settled.meter) > now) settled = chain(settled, (current) => expireLots(current, now));
  return counted(meter, settled, now);
}

/**
 * Grants the month's credits: a plan's live three months longer than the month, the free ones do not. A free month is
 * granted once, also when a subscription began and ended within it. What is free is not granted before the account's
 * free months begin: its owner has had it with an account that is deleted.
 */
export function grantMonth(
  meter: Meter,
  now: number,
  plans: Plans,
  kind: SubscriptionChange['kind'] = 'renewed',
): Settled {
  const { anchor, index } = meter.period;
  const grantOf = (rank: number): number => monthlyGrant(plans(rank)) * microPerCredit;
  if (meter.subscription) {
    const expiresAt = addMonths(anchor, index + 1 + rollOverMonths);
    const hadIt = meter.planRank === freePlanRank && now < meter.freeAnchor;
    const granted = hadIt ? 0 : grantOf(meter.planRank);
    return described(addLot(meter, { source: 'plan', granted, expiresAt }, now), {
      kind,
      plan: plans(meter.planRank).name,
    });
  }
  if (index <= meter.freeMonth) return { meter, entries: [] };
  const lot = { source: 'free', granted: grantOf(freePlanRank), expiresAt: periodEnd(meter.period) } as const;
  return addLot({ ...meter, freeMonth: index }, lot, now);
}

/** Credits given by an operator: they live for three months. */
export function grantCredits(meter: Meter, granted: number, now: number): Settled {
  const lot = { source: 'purchase', granted, expiresAt: addMonths(now, rollOverMonths) } as const;
  return counted(meter, addLot(meter, lot, now), now);
}

/**
 * Counts the entries in `seq` and sets when the meter is due next. Where an open hold has kept a lot from expiring, that
 * is its deadline at the latest: the call that closes it may have a slow clock and not know that the lot is over.
 */
export function counted(before: Meter, { meter, entries }: Settled, now: number): Settled {
  const lots = currentLots(meter);
  const moments = lots.map((lot) => lot.expiresAt).filter((moment) => moment > now);
  const deadlines = moments.length < lots.length ? meter.holds.values().map((hold) => hold.deadline) : [];
  const due = Math.min(nextTurn(meter), ...moments, ...deadlines);
  return { meter: { ...meter, seq: before.seq + entries.length, due }, entries };
}

/** Records in the last entry which subscription change it belongs to. */
export function described({ meter, entries }: Settled, change: SubscriptionChange): Settled {
  return {
    meter,
    entries: entries.map((entry, index) => (index === entries.length - 1 ? { ...entry, change } : entry)),
  };
}

export function chain(before: Settled, step: (meter: Meter) => Settled): Settled {
  const after = step(before.meter);
  return { meter: after.meter, entries: [...before.entries, ...after.entries] };
}

/** The next moment at which more changes than a lot: the month ends, or a cancelled subscription or its limits do. */
export function nextTurn(meter: Meter): number {
  return Math.min(periodEnd(meter.period), subscriptionTurn(meter));
}

function subscriptionTurn({ subscription }: Meter): number {
  return subscription?.creditsExpireAt ?? Number.POSITIVE_INFINITY;
}

/** A month's counters: a call is of the month it ends in, so those that run are of the next one. */
export function newCounters({ holds }: Meter) {
  return { used: {}, callsThisMonth: holds.size };
}

function endMonth(meter: Meter, end: number, plans: Plans): Settled {
  const period = { ...meter.period, index: meter.period.index + 1 };
  const next = { ...meter, ...newCounters(meter), period };
  if (next.subscription?.status === 'cancelled') return { meter: onPlan(next, plans(freePlanRank)), entries: [] };
  const kind = next.subscription?.pending ? 'downgraded' : 'renewed';
  return grantMonth(withPendingPlan(next, plans), end, plans, kind);
}

/** A plan's limits are taken again each month, as the deployment's may have changed. */
function withPendingPlan(meter: Meter, plans: Plans): Meter {
  if (!isSubscribed(meter) || !meter.subscription?.pending) return onPlan(meter, plans(meter.planRank));
  const { pending, ...subscription } = meter.subscription;
  return onPlan({ ...meter, subscription: { ...subscription, planId: pending.planId } }, plans(pending.planRank));
}

/** Returns to the free allowance in the current free month, which is counted from registration. */
function endSubscription(meter: Meter, now: number, plans: Plans): Settled {
  const period = { anchor: meter.freeAnchor, index: monthsSince(meter.freeAnchor, now) };
  const ended = { ...withoutSubscription(meter), ...newCounters(meter), period };
  return grantMonth(onPlan(ended, plans(freePlanRank)), now, plans);
}

/** Makes a cancellation final. The plan's lots keep the expiry set by the cancellation. */
export function withoutSubscription(meter: Meter): Meter {
  const { subscription, ...rest } = meter;
  const cancellation = subscription?.cancellation;
  return cancellation ? { ...rest, endedCancellation: cancellation.seq } : rest;
}
