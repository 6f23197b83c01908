import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createSubscription: Operation<typeof subscriptionRoutes.createSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().create(caller.accountId, input.body.planId);

export const handler = endpoint(subscriptionRoutes.createSubscription, createSubscription);
