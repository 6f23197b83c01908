import { monthlyGrant, type PlanLimits, planOfRank, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import type { LedgerEntry, Meter, Subscription, SubscriptionChange } from '../meter.ts';
import { onPlan } from '../rate-window.ts';
import {
  bringCurrent,
  chain,
  counted,
  described,
  grantMonth,
  newCounters,
  periodEnd,
  periodStart,
  rollOverMonths,
  type Settled,
  withoutSubscription,
} from './billing.ts';
import { addLot, capPlanLots, settleLots } from './lots.ts';
import { addMonths } from './months.ts';

/** How long a cancelled subscription is shown and its credits can be spent, in seconds (docs/specification.md#credits rule 3). */
const afterCancellation = 30 * 86_400;

/** A plan as requested: `planId` is echoed as it was sent. */
export interface ChosenPlan {
  readonly planId: string;
  readonly plan: PlanLimits;
}

/** What an upgrade comes to for the rest of the period: `amount` in USD, moments in epoch seconds. */
export interface Proration {
  readonly amount: number;
  readonly credits: number;
  readonly from: number;
  readonly to: number;
}

/** Whether a month that was granted still runs: of an active subscription, or of one that was cancelled meanwhile. */
export function isMonthRunning({ subscription }: Meter, now: number): boolean {
  return subscription !== undefined && now < (subscription.endsAt ?? Number.POSITIVE_INFINITY);
}

/** Starts a subscription: its first month begins now, on the plan's limits, with the plan's credits. */
export function startSubscription(meter: Meter, chosen: ChosenPlan, id: string, now: number, plans: Plans): Settled {
  const subscription: Subscription = { id, planId: chosen.planId, status: 'active' };
  const settled = chain(bringCurrent(meter, now, plans), (current) => {
    const period = { anchor: now, index: 0 };
    const ofBefore = { ...withoutSubscription(current), ...newCounters(current) };
    return grantMonth({ ...onPlan(ofBefore, chosen.plan), period, subscription }, now, plans, 'subscribed');
  });
  return counted(meter, settled, now);
}

/**
 * Puts an account on a plan. A month that runs is granted once: it goes on, a larger plan is an upgrade of it, and a
 * smaller one begins with the next.
 */
export function subscribe(meter: Meter, chosen: ChosenPlan, id: string, now: number, plans: Plans): Settled {
  if (!isMonthRunning(meter, now)) return startSubscription(meter, chosen, id, now, plans);
  const running = uncancelled(meter);
  if (chosen.plan.rank <= meter.planRank) return downgrade(running, chosen, now, 'resumed');
  return upgrade(running, chosen, prorate(running, plans(meter.planRank), chosen.plan, now), now);
}

/** As if it had never been cancelled; the month must still run. */
export function resume(meter: Meter, now: number): Settled {
  return counted(meter, noted(uncancelled(meter), now, { kind: 'resumed', plan: planName(meter) }), now);
}

/** The meter without its cancellation. */
export function uncancelled(meter: Meter): Meter {
  const { status: _cancelled, endsAt: _end, creditsExpireAt: _expiry, cancellation, ...kept } = subscriptionOf(meter);
  return { ...meter, lots: cancellation?.lots ?? meter.lots, subscription: { ...kept, status: 'active' } };
}

/** The new plan immediately, with the difference in credits for the rest of the period, rounded up to whole ones. */
export function upgrade(meter: Meter, chosen: ChosenPlan, proration: Proration, now: number): Settled {
  const { anchor, index } = meter.period;
  const expiresAt = addMonths(anchor, index + 1 + rollOverMonths);
  const lot = { source: 'plan', granted: proration.credits * microPerCredit, expiresAt } as const;
  const { pending: _dropped, ...subscription } = subscriptionOf(meter);
  const upgraded = onPlan({ ...meter, subscription: { ...subscription, planId: chosen.planId } }, chosen.plan);
  const settled = described(addLot(upgraded, lot, now), { kind: 'upgraded', plan: chosen.plan.name });
  return counted(meter, settled, now);
}

/** Price and credits of an upgrade now, by the second (docs/credits.md#subscriptions). */
export function prorate(meter: Meter, from: PlanLimits, to: PlanLimits, now: number): Proration {
  const end = periodEnd(meter.period);
  const [left, whole] = [end - now, end - periodStart(meter.period)];
  const cents = Math.round(((to.price ?? 0) - (from.price ?? 0)) * 100);
  return {
    amount: Math.round((cents * left) / whole) / 100,
    credits: Math.ceil(((monthlyGrant(to) - monthlyGrant(from)) * left) / whole),
    from: now,
    to: end,
  };
}

/**
 * Schedules a smaller plan for the next period. Choosing the current plan cancels the change, which is recorded as
 * `kept`.
 */
export function downgrade(
  meter: Meter,
  { planId, plan }: ChosenPlan,
  now: number,
  kept: 'downgrade_cancelled' | 'resumed' = 'downgrade_cancelled',
): Settled {
  const { pending: _replaced, ...rest } = subscriptionOf(meter);
  const isKept = plan.rank === meter.planRank;
  const subscription = isKept ? { ...rest, planId } : { ...rest, pending: { planId, planRank: plan.rank } };
  const change: SubscriptionChange = isKept
    ? { kind: kept, plan: plan.name }
    : { kind: 'downgrade_scheduled', plan: plan.name, effectiveAt: periodEnd(meter.period) };
  return counted(meter, noted({ ...meter, subscription }, now, change), now);
}

/**
 * Ends the subscription without new credits. Its limits stay until the paid period ends; its credits stay spendable
 * until then, and for at least 30 days.
 */
export function cancel(meter: Meter, now: number): Settled {
  const endsAt = periodEnd(meter.period);
  const creditsExpireAt = Math.max(now + afterCancellation, endsAt);
  const { lots } = settleLots(meter);
  const cancellation = { seq: meter.seq, lots };
  const subscription = {
    ...subscriptionOf(meter),
    status: 'cancelled',
    endsAt,
    creditsExpireAt,
    cancellation,
  } as const;
  const change = { kind: 'cancelled', plan: planName(meter), effectiveAt: endsAt } as const;
  const cancelled = { ...meter, lots: capPlanLots(lots, creditsExpireAt), subscription };
  return counted(meter, noted(cancelled, now, change), now);
}

/** A change that moves no credits is a row of the ledger too, and makes a second such change meet the first. */
function noted(meter: Meter, at: number, change: SubscriptionChange): Settled {
  const entry: LedgerEntry = { type: 'adjustment', at, amount: 0, change };
  return { meter, entries: [entry] };
}

const planName = ({ planRank }: Meter) => planOfRank(planRank).name;

function subscriptionOf({ subscription }: Meter): Subscription {
  if (!subscription) throw new Error('there is no subscription to change');
  return subscription;
}
