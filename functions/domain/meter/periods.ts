import { type PlanLimits, type Plans, smallestWith, termsIn } from '#contract/billing/plans.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { addMonths, daySeconds } from '#contract/shared/time.ts';
import { capEnd } from './limits.ts';
import { currentLots } from './lots.ts';
import type { Meter, Period, Settled, Subscription } from './meter.ts';
import { unlimited } from './rate-window.ts';

export const periodStart = ({ anchor, index }: Period): number => addMonths(anchor, index);
export const periodEnd = ({ anchor, index }: Period): number => addMonths(anchor, index + 1);

/** Seconds for which a plan keeps its limits while its month is not paid (docs/payments.md#past-due). */
export const pastDueSeconds = 7 * daySeconds;

/** Returns the next time at which a month, a cancelled or unpaid subscription or its limits end. */
export function nextTransition(meter: Meter): number {
  return Math.min(periodEnd(meter.period), subscriptionTransition(meter), capTransition(meter));
}

export const capTransition = ({ cap }: Meter): number => (cap ? capEnd(cap) : Number.POSITIVE_INFINITY);

/** Whether the current month was paid, and its payment then refunded or disputed. */
export const isReturned = ({ unpaidSince, paidUntil = 0 }: Subscription): boolean =>
  unpaidSince !== undefined && paidUntil > unpaidSince;

export function subscriptionTransition({ subscription }: Meter): number {
  const { unpaidSince, creditsExpireAt = Number.POSITIVE_INFINITY } = subscription ?? {};
  return unpaidSince === undefined ? creditsExpireAt : Math.min(creditsExpireAt, unpaidSince + pastDueSeconds);
}

/**
 * Adds the entries to `seq` and sets the next due time. If an open hold keeps an expired lot, that is at most the
 * hold's deadline, because the closing call's clock may be slow.
 */
export function counted(before: Meter, { meter, entries }: Settled, now: number): Settled {
  const lots = currentLots(meter);
  const moments = lots.map((lot) => lot.expiresAt).filter((moment) => moment > now);
  const deadlines = moments.length < lots.length ? meter.holds.values().map((hold) => hold.deadline) : [];
  const due = Math.min(nextTransition(meter), ...moments, ...deadlines);
  return { meter: { ...meter, seq: before.seq + entries.length, due }, entries };
}

export function chain(before: Settled, step: (meter: Meter) => Settled): Settled {
  const after = step(before.meter);
  return { meter: after.meter, entries: [...before.entries, ...after.entries] };
}

/** Notice of a plan's end, before the renewal that replaces the plan. */
const noticeSeconds = 30 * daySeconds;
/** No notice is due earlier than two months before the end. */
const longestNotice = 62 * daySeconds;

/** The plan in force, with the terms at which the account bought it (docs/adr/0037-kept-terms.md). */
export function planOfMeter(meter: Meter, plans: Plans): PlanLimits {
  return { ...plans(meter.planRank), ...meter.terms };
}

/**
 * Applies a plan's limits, and keeps an active subscription's terms. Shifts the rate ceilings, so that earlier calls
 * count against the new limit.
 */
export function onPlan({ terms: _replaced, ...meter }: Meter, plan: PlanLimits): Meter {
  const shift = (plan.callsPerMinute ?? unlimited) - (meter.ceiling - meter.admitted);
  return {
    ...meter,
    ...(meter.subscription?.status === 'active' && { terms: termsIn(plan) }),
    planRank: plan.rank,
    maxConcurrentCalls: plan.maxConcurrentCalls,
    callsPerMonth: plan.callsPerMonth ?? unlimited,
    ceiling: meter.ceiling + shift,
    buckets: new Map([...meter.buckets].map(([name, ceiling]) => [name, ceiling + shift])),
  };
}

export const hasFeature = (meter: Meter, feature: PlanFeature): boolean =>
  meter.planRank >= smallestWith[feature].id || (meter.terms?.features.includes(feature) ?? false);

/**
 * Returns the renewal that replaces an ending plan, in epoch seconds: the first one after the end that is
 * at least 30 days after the start of the period.
 */
function replacementAfter({ anchor, index }: Period, end: number): number {
  const earliest = Math.max(end, addMonths(anchor, index) + noticeSeconds);
  let next = index + 1;
  while (addMonths(anchor, next) < earliest) next++;
  return addMonths(anchor, next);
}

/** Returns the time of the replacement if notice is due now: notice at the next renewal would postpone it. */
export function noticeOf({ period, subscription }: Meter, { end }: PlanLimits): number | undefined {
  if (!end || subscription?.replacedAt !== undefined) return undefined;
  if (end.at - periodStart(period) > longestNotice) return undefined;
  const at = replacementAfter(period, end.at);
  return replacementAfter({ ...period, index: period.index + 1 }, end.at) > at ? at : undefined;
}
