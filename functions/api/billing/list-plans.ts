import { planListing } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listPlans: Operation<typeof subscriptionRoutes.listPlans> = () => ({ plans: [...planListing] });

export const handler = endpoint(subscriptionRoutes.listPlans, listPlans);
