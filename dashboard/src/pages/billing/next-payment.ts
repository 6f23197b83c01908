import { planNameOf } from '../../lib/names.ts';
import type { Plan, Subscription } from '../plans/plan.ts';

interface NextPayment {
  /** UTC day as an ISO date. */
  readonly day: string;
  readonly usd: number;
}

/** The next month's payment, for the plan that applies then. Undefined if nothing will be charged. */
export function nextPayment(subscription: Subscription, plans: readonly Plan[]): NextPayment | undefined {
  if (subscription?.status !== 'active') return undefined;
  const { nextBillingDate: day, pendingPlanId, replacement, price } = subscription;
  const isReplaced = replacement !== undefined && replacement.from.slice(0, day.length) <= day;
  const next = pendingPlanId ?? (isReplaced ? replacement.planId : undefined);
  const usd = next === undefined ? price : plans.find(({ name }) => name === planNameOf(next))?.price;
  return usd ? { day, usd } : undefined;
}

/** The same day of the next month, or its last day, as an ISO date. */
export function dayInAMonth(now: number): string {
  const today = new Date(now);
  const lastDay = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 2, 0)).getUTCDate();
  const day = Math.min(today.getUTCDate(), lastDay);
  const next = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, day);
  return new Date(next).toISOString().slice(0, 10);
}
