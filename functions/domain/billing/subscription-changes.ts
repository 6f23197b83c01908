import {
  freePlanRank,
  monthlyGrant,
  type PlanLimits,
  planOfRank,
  type Plans,
  termsIn,
} from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { addMonths } from '#contract/shared/time.ts';
import { addLot } from '../meter/lots.ts';
import type { Meter, Settled, Subscription, SubscriptionChange } from '../meter/meter.ts';
import { chain, counted, onPlan, periodEnd, periodStart, planOfMeter } from '../meter/periods.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  bringCurrent,
  cancellationGraceSeconds,
  cancelledAt,
  described,
  grantMonth,
  newCounters,
  recorded,
  rollOverMonths,
  withoutSubscription,
  withPlan,
} from './grants.ts';

export interface ChosenPlan {
  readonly planId: string;
  readonly plan: PlanLimits;
}

/** The price and credits of an upgrade for the rest of the period. `amount` in USD, times in epoch seconds. */
export interface Proration {
  readonly amount: number;
  readonly credits: number;
  readonly from: number;
  readonly to: number;
}

export const alreadySubscribed = (): ServiceError =>
  new ServiceError(
    'ALREADY_SUBSCRIBED',
    'The account already has an active subscription. Upgrade, downgrade or cancel it.',
  );

/** Returns whether a granted month is running, including that of a cancelled subscription. */
export function isMonthRunning({ subscription }: Meter, now: number): boolean {
  return subscription !== undefined && now < (subscription.endsAt ?? Number.POSITIVE_INFINITY);
}

/** `paid`: the period that was paid, as epoch seconds. Without it, the plan is not paid and begins now. */
export function startSubscription(
  meter: Meter,
  { planId, plan }: ChosenPlan,
  id: string,
  now: number,
  plans: Plans,
  paid?: { readonly start: number; readonly end: number },
): Settled {
  const subscription: Subscription = { id, planId, status: 'active', ...(paid && { paidUntil: paid.end }) };
  const settled = chain(bringCurrent(meter, now, plans), (current) => {
    const period = { anchor: paid?.start ?? now, index: 0 };
    const ofBefore = { ...withoutSubscription(current), ...newCounters(current) };
    return grantMonth(onPlan({ ...ofBefore, period, subscription }, plan), now, plans, 'subscribed');
  });
  return counted(meter, settled, now);
}

/** A running month continues: a larger plan upgrades it, and a smaller one starts with the next. */
export function subscribe(meter: Meter, chosen: ChosenPlan, id: string, now: number, plans: Plans): Settled {
  if (!isMonthRunning(meter, now)) return startSubscription(meter, chosen, id, now, plans);
  const running = withoutCancellation(meter);
  if (chosen.plan.rank <= meter.planRank) return downgrade(running, chosen, now, 'resumed');
  return upgrade(running, chosen, prorate(running, planOfMeter(running, plans), chosen.plan, now), now);
}

/** Revokes the cancellation; the month must still be running. */
export function resume(meter: Meter, now: number): Settled {
  return counted(meter, recorded(withoutCancellation(meter), now, { kind: 'resumed', plan: planName(meter) }), now);
}

export function withoutCancellation(meter: Meter): Meter {
  const { status: _cancelled, endsAt: _end, creditsExpireAt: _expiry, cancellation, ...kept } = subscriptionOf(meter);
  return { ...meter, lots: cancellation?.lots ?? meter.lots, subscription: { ...kept, status: 'active' } };
}

/** Grants the difference for the rest of the period, rounded up to whole credits. */
export function upgrade(meter: Meter, chosen: ChosenPlan, proration: Proration, now: number): Settled {
  const { anchor, index } = meter.period;
  const expiresAt = addMonths(anchor, index + 1 + rollOverMonths);
  const lot = { source: 'plan', granted: proration.credits * microPerCredit, expiresAt } as const;
  const subscription = withPlan(subscriptionOf(meter), chosen.planId);
  const upgraded = onPlan({ ...meter, subscription }, chosen.plan);
  const settled = described(addLot(upgraded, lot, now), { kind: 'upgraded', plan: chosen.plan.name });
  return counted(meter, settled, now);
}

/**
 * Computes price and credits of an upgrade, prorated by the second (docs/credits.md#subscriptions). Neither is
 * negative, even if the kept terms cost more than the larger plan does now.
 */
export function prorate(meter: Meter, from: PlanLimits, to: PlanLimits, now: number): Proration {
  const end = periodEnd(meter.period);
  const [left, whole] = [end - now, end - periodStart(meter.period)];
  const cents = Math.max(0, Math.round(((to.price ?? 0) - (from.price ?? 0)) * 100));
  const credits = Math.max(0, monthlyGrant(to) - monthlyGrant(from));
  return {
    amount: Math.round((cents * left) / whole) / 100,
    credits: Math.ceil((credits * left) / whole),
    from: now,
    to: end,
  };
}

/** Schedules a smaller plan for the next period. Choosing the current plan revokes this. */
export function downgrade(
  meter: Meter,
  { planId, plan }: ChosenPlan,
  now: number,
  kept: 'downgrade_cancelled' | 'resumed' = 'downgrade_cancelled',
): Settled {
  const { pending: _replaced, ...rest } = subscriptionOf(meter);
  const isKept = plan.rank === meter.planRank;
  const subscription = isKept
    ? { ...rest, planId }
    : { ...rest, pending: { planId, planRank: plan.rank, terms: termsIn(plan) } };
  const change: SubscriptionChange = isKept
    ? { kind: kept, plan: plan.name }
    : { kind: 'downgrade_scheduled', plan: plan.name, effectiveAt: periodEnd(meter.period) };
  return counted(meter, recorded({ ...meter, subscription }, now, change), now);
}

/**
 * The limits apply until the paid period ends, which for an unpaid month is now. The credits can be spent until then,
 * and for at least 30 days.
 */
export function cancel(meter: Meter, now: number, plans: Plans = planOfRank): Settled {
  const isUnpaid = meter.subscription?.unpaidSince !== undefined;
  const endsAt = isUnpaid ? now : periodEnd(meter.period);
  const creditsExpireAt = Math.max(now + cancellationGraceSeconds, endsAt);
  const change = { kind: 'cancelled', plan: planName(meter), effectiveAt: endsAt } as const;
  const cancelled = cancelledAt(meter, { endsAt, creditsExpireAt });
  return counted(meter, recorded(isUnpaid ? onPlan(cancelled, plans(freePlanRank)) : cancelled, now, change), now);
}

const planName = ({ planRank }: Meter) => planOfRank(planRank).name;

function subscriptionOf({ subscription }: Meter): Subscription {
  if (!subscription) throw new Error('there is no subscription to change');
  return subscription;
}
