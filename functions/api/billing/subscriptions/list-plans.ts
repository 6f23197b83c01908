import { planListing } from '#contract/billing/plans.ts';
import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listPlans: Operation<typeof subscriptionRoutes.listPlans> = () => ({ plans: [...planListing] });

export const handler = endpoint(subscriptionRoutes.listPlans, listPlans);
