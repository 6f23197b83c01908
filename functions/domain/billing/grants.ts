import { freePlanRank, monthlyGrant, type PlanLimits, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { addMonths, daySeconds, monthsSince } from '#contract/shared/time.ts';
import { withCapMonth } from '../meter/limits.ts';
import { addLot, capPlanLots, expireLots, settleLots } from '../meter/lots.ts';
import type { Meter, Settled, Subscription, SubscriptionChange } from '../meter/meter.ts';
import {
  capTransition,
  chain,
  counted,
  nextTransition,
  onPlan,
  pastDueSeconds,
  periodEnd,
  periodStart,
  subscriptionTransition,
  noticeOf,
  planOfMeter,
} from '../meter/periods.ts';
import { unlimited } from '../meter/rate-window.ts';
import { maxEndedCancellations } from '../meter/refund.ts';

/** Months that a grant outlives its month (docs/specification.md#credits, docs/credits.md#grants). */
export const rollOverMonths = 3;

/** Maximum entries per write, so that the item stays small after years without calls. The rest remains due. */
export const entriesPerWrite = 48;

/** The first free month starts at `freeFrom` or later. Times in epoch seconds. */
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

/** Brings a meter to `now` (epoch seconds): expires lots, ends months and grants new ones, as if continuously. */
export function bringCurrent(meter: Meter, now: number, plans: Plans): Settled {
  let settled: Settled = { meter, entries: [] };
  while (settled.entries.length < entriesPerWrite && nextTransition(settled.meter) <= now) {
    const turn = nextTransition(settled.meter);
    settled = chain(settled, (current) => expireLots(current, turn));
    settled = chain(settled, (current) => transition(current, turn, plans));
  }
  if (nextTransition(settled.meter) > now) settled = chain(settled, (current) => expireLots(current, now));
  return counted(meter, settled, now);
}

function transition(meter: Meter, turn: number, plans: Plans): Settled {
  if (turn === capTransition(meter)) return { meter: withCapMonth(meter, turn), entries: [] };
  return turn === subscriptionTransition(meter) ? endSubscription(meter, turn, plans) : endMonth(meter, turn, plans);
}

/** Builds the renewal function of `metering`. */
export const renewals =
  (plans: Plans) =>
  (meter: Meter, now: number): Settled =>
    bringCurrent(meter, now, plans);

/**
 * A plan's credits expire three months after the month, free ones with it. Each free month is granted once. None
 * starts before `freeFrom`, because the owner used it with a deleted account.
 */
export function grantMonth(
  meter: Meter,
  now: number,
  plans: Plans,
  kind: SubscriptionChange['kind'] = 'renewed',
): Settled {
  const { anchor, index } = meter.period;
  // Without a free plan, an account without a subscription has the limits of the smallest plan and no credits.
  const isFree = plans(freePlanRank).price === 0;
  const grantOf = (plan: PlanLimits): number => monthlyGrant(plan) * microPerCredit;
  if (meter.subscription) {
    const expiresAt = addMonths(anchor, index + 1 + rollOverMonths);
    const hadIt = isFree && meter.planRank === freePlanRank && now < meter.freeAnchor;
    const plan = planOfMeter(meter, plans);
    const granted = hadIt ? 0 : grantOf(plan);
    return described(addLot(meter, { source: 'plan', granted, expiresAt }, now), { kind, plan: plan.name });
  }
  if (index <= meter.freeMonth) return { meter, entries: [] };
  if (!isFree) return { meter: { ...meter, freeMonth: index }, entries: [] };
  const lot = { source: 'free', granted: grantOf(plans(freePlanRank)), expiresAt: periodEnd(meter.period) } as const;
  return addLot({ ...meter, freeMonth: index }, lot, now);
}

export function grantCredits(meter: Meter, granted: number, now: number): Settled {
  const lot = { source: 'purchase', granted, expiresAt: addMonths(now, rollOverMonths) } as const;
  return counted(meter, addLot(meter, lot, now), now);
}

export function described({ meter, entries }: Settled, change: SubscriptionChange): Settled {
  return {
    meter,
    entries: entries.map((entry, index) => (index === entries.length - 1 ? { ...entry, change } : entry)),
  };
}

export function newCounters({ holds }: Meter) {
  return { used: {}, callsThisMonth: holds.size };
}

function endMonth(meter: Meter, end: number, plans: Plans): Settled {
  const period = { ...meter.period, index: meter.period.index + 1 };
  const next = { ...meter, ...newCounters(meter), period };
  if (next.subscription?.status === 'cancelled') return { meter: onPlan(next, plans(freePlanRank)), entries: [] };
  if (!next.subscription) return grantMonth(onPlan(next, plans(next.planRank)), end, plans);
  const { subscription, plan, kind } = renewed(next.subscription, next, plans);
  if (subscription.paidUntil !== undefined && !plan.price) {
    const { paidUntil: _paid, unpaidSince: _since, ...unpaid } = subscription;
    return grantMonth(onPlan({ ...next, subscription: unpaid }, plan), end, plans, kind);
  }
  if (subscription.paidUntil !== undefined && subscription.paidUntil <= end) {
    const change: SubscriptionChange = { kind: 'payment_due', plan: plan.name, effectiveAt: end + pastDueSeconds };
    return recorded(onPlan({ ...next, subscription: { ...subscription, unpaidSince: end } }, plan), end, change);
  }
  const granted = grantMonth(onPlan({ ...next, subscription }, plan), end, plans, kind);
  return chain(granted, (current) => withNotice(current, plan, end));
}

interface Renewal {
  readonly subscription: Subscription;
  readonly plan: PlanLimits;
  readonly kind: SubscriptionChange['kind'];
}

/** The scheduled plan, the replacement of a plan that has ended, or the same plan with its terms. */
function renewed({ pending, ...subscription }: Subscription, meter: Meter, plans: Plans): Renewal {
  if (pending) {
    const plan = { ...plans(pending.planRank), ...pending.terms };
    return { subscription: withPlan(subscription, pending.planId), plan, kind: 'downgraded' };
  }
  const plan = planOfMeter(meter, plans);
  const { replacedAt, ...kept } = subscription;
  const start = periodStart(meter.period);
  if (plan.end && replacedAt !== undefined && Math.max(replacedAt, plan.end.at) <= start) {
    const next = plans(plan.end.rank);
    return { subscription: withPlan(kept, next.name), plan: next, kind: 'replaced' };
  }
  const isAnnounced = plan.end && replacedAt !== undefined && replacedAt > start;
  return { subscription: isAnnounced ? { ...kept, replacedAt } : kept, plan, kind: 'renewed' };
}

/** The plan of the next month. */
export function nextPlan(meter: Meter, subscription: Subscription, plans: Plans): PlanLimits {
  const { index, anchor } = meter.period;
  return renewed(subscription, { ...meter, period: { anchor, index: index + 1 } }, plans).plan;
}

/** Announces the replacement of the plan (docs/offer.md#plans-that-end). */
export function withNotice(meter: Meter, plan: PlanLimits, at: number): Settled {
  const replacedAt = noticeOf(meter, plan);
  if (!meter.subscription || replacedAt === undefined) return { meter, entries: [] };
  const change: SubscriptionChange = { kind: 'ending', plan: plan.name, effectiveAt: replacedAt };
  const subscription = { ...meter.subscription, replacedAt };
  return { meter: { ...meter, subscription }, entries: [{ type: 'adjustment', at, amount: 0, change }] };
}

export function withPlan(subscription: Subscription, planId: string): Subscription {
  const { pending: _pending, replacedAt: _replaced, ...rest } = subscription;
  return { ...rest, planId };
}

function endSubscription(meter: Meter, now: number, plans: Plans): Settled {
  const { unpaidSince, creditsExpireAt = Number.POSITIVE_INFINITY } = meter.subscription ?? {};
  if (unpaidSince !== undefined && now < creditsExpireAt) return endUnpaid(meter, now, plans);
  const period = { anchor: meter.freeAnchor, index: monthsSince(meter.freeAnchor, now) };
  const ended = { ...withoutSubscription(meter), ...newCounters(meter), period };
  return grantMonth(onPlan(ended, plans(freePlanRank)), now, plans);
}

/** Makes a cancellation final. The plan's lots keep the expiry set by the cancellation. */
export function withoutSubscription(meter: Meter): Meter {
  const { subscription, ...rest } = meter;
  const cancellation = subscription?.cancellation;
  if (!cancellation) return rest;
  const ended = [...(rest.endedCancellations ?? []), cancellation.seq].slice(-maxEndedCancellations);
  return { ...rest, endedCancellations: ended };
}

/** Ends a plan whose month was not paid. Its credits can be spent for another 30 days, as after a cancellation. */
function endUnpaid(meter: Meter, now: number, plans: Plans): Settled {
  const plan = planOfMeter(meter, plans).name;
  const ended = cancelledAt(meter, { endsAt: now, creditsExpireAt: now + cancellationGraceSeconds });
  const change: SubscriptionChange = { kind: 'ended_unpaid', plan, effectiveAt: now };
  return recorded(onPlan(ended, plans(freePlanRank)), now, change);
}

/** Seconds for which a cancelled subscription's credits can be spent (docs/specification.md#credits rule 3). */
export const cancellationGraceSeconds = 30 * daySeconds;

export function cancelledAt(
  meter: Meter,
  { endsAt, creditsExpireAt }: Required<Pick<Subscription, 'endsAt' | 'creditsExpireAt'>>,
): Meter {
  if (!meter.subscription) throw new Error('there is no subscription to cancel');
  const { lots } = settleLots(meter);
  const { unpaidSince: _unpaid, ...kept } = meter.subscription;
  const cancellation = { seq: meter.seq, lots };
  const subscription = { ...kept, status: 'cancelled', endsAt, creditsExpireAt, cancellation } as const;
  return { ...meter, lots: capPlanLots(lots, creditsExpireAt), subscription };
}

/** Records a change without credits in the ledger, so that a concurrent second change conflicts. */
export function recorded(meter: Meter, at: number, change: SubscriptionChange, payment?: string): Settled {
  const entry = { type: 'adjustment', at, amount: 0, change, ...(payment !== undefined && { payment }) } as const;
  return { meter, entries: [entry] };
}
