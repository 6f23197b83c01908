import { freePlanRank, monthlyGrant, type PlanLimits, type Plans } from '#contract/plans.ts';
import { microPerCredit } from '#contract/prices.ts';
import { addMonths } from '../months.ts';
import {
  bringCurrent,
  chain,
  counted,
  grantMonth,
  newCounters,
  periodEnd,
  periodStart,
  rollOverMonths,
  type Settled,
} from './billing.ts';
import { addLot, currentLots } from './lots.ts';
import type { LedgerEntry, Meter, Subscription } from './meter.ts';
import { onPlan } from './rate-window.ts';

/** How long a cancelled subscription is shown and its credits can be spent, in seconds (spec "Credits" rule 3). */
const afterCancellation = 30 * 86_400;

/** A plan as somebody asked for it: `planId` is echoed as it was sent. */
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

/**
 * Starts a subscription: its first month begins now, on the plan's limits, with the plan's credits. Whoever cancelled
 * the free plan and takes it again before the month is over has had its credits and calls.
 */
export function startSubscription(meter: Meter, chosen: ChosenPlan, id: string, now: number, plans: Plans): Settled {
  const subscription: Subscription = { id, planId: chosen.planId, status: 'active' };
  const settled = chain(bringCurrent(meter, now, plans), (current) => {
    const isFreeAgain = current.planRank === freePlanRank && chosen.plan.rank === freePlanRank;
    const hadItsMonth = isFreeAgain && now < (current.subscription?.endsAt ?? 0);
    const period = { anchor: now, index: 0 };
    const begun = { ...onPlan(current, chosen.plan), ...newCounters(current), period, subscription };
    if (!hadItsMonth) return grantMonth(begun, now, plans);
    return noted({ ...begun, callsThisMonth: current.callsThisMonth }, now);
  });
  return counted(meter, settled, now);
}

/** The new plan at once, with the difference in credits for the rest of the period, rounded up to whole ones. */
export function upgrade(meter: Meter, chosen: ChosenPlan, proration: Proration, now: number): Settled {
  const { anchor, index } = meter.period;
  const expiresAt = addMonths(anchor, index + 1 + rollOverMonths);
  const lot = { source: 'plan', granted: proration.credits * microPerCredit, expiresAt } as const;
  const { pending: _dropped, ...subscription } = subscriptionOf(meter);
  const upgraded = onPlan({ ...meter, subscription: { ...subscription, planId: chosen.planId } }, chosen.plan);
  return counted(meter, addLot(upgraded, lot, now), now);
}

/** Price and credits of an upgrade now, by the second (design section 3, "Upgrade"). */
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

/** The smaller plan from the next period on. */
export function downgrade(meter: Meter, { planId, plan }: ChosenPlan, now: number): Settled {
  const subscription = { ...subscriptionOf(meter), pending: { planId, planRank: plan.rank } };
  return counted(meter, noted({ ...meter, subscription }, now), now);
}

/** No new credits; limits stay until the paid period ends, the credits can be spent for 30 days. */
export function cancel(meter: Meter, now: number): Settled {
  const creditsExpireAt = now + afterCancellation;
  const { pending: _dropped, ...kept } = subscriptionOf(meter);
  const subscription = { ...kept, status: 'cancelled', endsAt: periodEnd(meter.period), creditsExpireAt } as const;
  const lots = currentLots(meter).map((lot) =>
    lot.source === 'plan' ? { ...lot, expiresAt: Math.min(lot.expiresAt, creditsExpireAt) } : lot,
  );
  return counted(meter, noted({ ...meter, lots, subscription }, now), now);
}

/** A change that moves no credits is a row of the ledger too, and makes a second such change meet the first. */
function noted(meter: Meter, at: number): Settled {
  const entry: LedgerEntry = { type: 'adjustment', at, amount: 0 };
  return { meter, entries: [entry] };
}

function subscriptionOf({ subscription }: Meter): Subscription {
  if (!subscription) throw new Error('there is no subscription to change');
  return subscription;
}
