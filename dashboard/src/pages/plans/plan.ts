import type { InferOutput } from 'valibot';
import type { CurrentSubscription, PlanList } from '#contract/billing/subscriptions.ts';

/** A plan as the API lists it. */
export type Plan = InferOutput<typeof PlanList>['plans'][number];
/** The subscription, or null. */
export type Subscription = InferOutput<typeof CurrentSubscription>;
