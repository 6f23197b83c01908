import { findPlan, isSameTerms, type PlanLimits, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { Meter, Subscription } from '../meter/meter.ts';
import { isReturned, pastDueSeconds, periodEnd } from '../meter/periods.ts';
import { iso } from '../shared/months.ts';
import type { Proration } from './subscription-changes.ts';

/** Formats the subscription (docs/specification.md#subscription-from-post-subscriptioncreate). */
export function subscriptionView(meter: Meter, plans: Plans, now: number) {
  const subscription = meter.subscription;
  const named = findPlan(subscription?.planId ?? '');
  if (!subscription || !named) throw new Error('there is no subscription to show');
  const { id, planId, status, pending, endsAt, creditsExpireAt, paidUntil, replacedAt } = subscription;
  const offered = plans(named.rank);
  const plan = { ...offered, ...meter.terms };
  const isChanged = !offered.isSold || !isSameTerms(plan, offered);
  return {
    id,
    planId,
    status,
    monthlyCredits: plan.creditsPerMonth ?? -1,
    creditsUsed: creditsUsed(meter),
    nextBillingDate: iso(endsAt ?? periodEnd(meter.period)).slice(0, 10),
    price: plan.price ?? 0,
    ...(status === 'active' && pending && { pendingPlanId: pending.planId }),
    ...(endsAt !== undefined && { endsAt: iso(endsAt) }),
    ...(creditsExpireAt !== undefined && { creditsExpireAt: iso(creditsExpireAt) }),
    ...(isChanged && { terms: termsView(plan) }),
    ...(paidUntil !== undefined && { paidUntil: iso(paidUntil) }),
    ...unpaidView(subscription, now),
    ...(status === 'active' &&
      replacedAt !== undefined &&
      offered.end && { replacement: replacementView(plans(offered.end.rank), replacedAt) }),
  };
}

/** Seconds in which a renewal is normally paid: Stripe finalizes its invoice after an hour. */
const renewalSeconds = 3 * 3600;

function unpaidView(subscription: Subscription, now: number) {
  const { unpaidSince } = subscription;
  if (unpaidSince === undefined) return {};
  const since = iso(unpaidSince);
  const reason = isReturned(subscription) ? 'payment_returned' : 'payment_due';
  if (reason === 'payment_due' && now < unpaidSince + renewalSeconds) return { renewalPendingSince: since };
  return { pastDue: { since, endsAt: iso(unpaidSince + pastDueSeconds), reason } } as const;
}

function termsView({ callsPerMonth, callsPerMinute, maxConcurrentCalls, features }: PlanLimits) {
  return { callsPerMonth, callsPerMinute, maxConcurrentCalls, features: [...features] };
}

const replacementView = ({ name }: PlanLimits, at: number) => ({ planId: name, from: iso(at) });

export function prorationView({ from, to, ...proration }: Proration) {
  return { ...proration, from: iso(from), to: iso(to) };
}

/** Settled in the current billing period, from any lot, rounded up to whole credits. */
function creditsUsed({ used }: Meter): number {
  return Math.ceil(Object.values(used).reduce((sum, amount) => sum + amount, 0) / microPerCredit);
}
