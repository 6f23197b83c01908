import { planNameOf } from '../../lib/names.ts';
import { endOf, type Plan, type Subscription } from '../plans/plan.ts';

interface NextPayment {
  /** UTC day as an ISO date. */
  readonly day: string;
  readonly usd: number;
}

/** The next month's payment, for the plan that applies then. Undefined if nothing will be charged. */
export function nextPayment(subscription: Subscription, plans: readonly Plan[]): NextPayment | undefined {
  if (subscription?.paidUntil === undefined || endOf(subscription) !== undefined) return undefined;
  const { nextBillingDate: day, pendingPlanId, replacement, price } = subscription;
  const isReplaced = replacement !== undefined && replacement.from.slice(0, day.length) <= day;
  const next = pendingPlanId ?? (isReplaced ? replacement.planId : undefined);
  const usd = next === undefined ? price : plans.find(({ name }) => name === planNameOf(next))?.price;
  return usd ? { day, usd } : undefined;
}

interface UnpaidRenewal {
  readonly usd: number;
  /** Start of its month, as an ISO time. */
  readonly since: string;
  /** False while it is being charged. */
  readonly isPastDue: boolean;
}

/** The payment for the current month, until it is paid. */
export function unpaidRenewal(subscription: Subscription): UnpaidRenewal | undefined {
  const { price = 0, pastDue, renewalPendingSince } = subscription ?? {};
  if (renewalPendingSince !== undefined) return { usd: price, since: renewalPendingSince, isPastDue: false };
  return pastDue?.reason === 'payment_due' ? { usd: price, since: pastDue.since, isPastDue: true } : undefined;
}

/** The same day of the next month, or its last day, as an ISO date. */
export function dayInAMonth(now: number): string {
  const today = new Date(now);
  const lastDay = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 2, 0)).getUTCDate();
  const day = Math.min(today.getUTCDate(), lastDay);
  const next = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, day);
  return new Date(next).toISOString().slice(0, 10);
}
