import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const createSubscription: Operation<typeof subscriptionRoutes.createSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().create(caller.accountId, input.body.planId);

export const handler = endpoint(subscriptionRoutes.createSubscription, createSubscription);
