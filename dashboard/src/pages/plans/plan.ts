import type { InferOutput } from 'valibot';
import type { CurrentSubscription, PlanList } from '#contract/billing/subscriptions.ts';

/** A plan as the API lists it. */
export type Plan = InferOutput<typeof PlanList>['plans'][number];
/** The subscription, or null. */
export type Subscription = InferOutput<typeof CurrentSubscription>;

/** What a plan is to the subscription; `available` where none is active. */
export type PlanState = 'current' | 'scheduled' | 'available' | 'larger' | 'smaller';

export function planStateOf(plan: Plan, current: Plan | undefined, subscription: Subscription): PlanState {
  const scheduled = subscription?.pendingPlanId;
  if (plan.name === scheduled || String(plan.id) === scheduled) return 'scheduled';
  if (subscription?.status !== 'active' || !current) return 'available';
  if (plan.id === current.id) return 'current';
  return plan.id > current.id ? 'larger' : 'smaller';
}
