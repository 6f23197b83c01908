import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getSubscription: Operation<typeof subscriptionRoutes.getSubscription> = ({ subscriptions }, { caller }) =>
  subscriptions().current(caller.accountId);

export const handler = endpoint(subscriptionRoutes.getSubscription, getSubscription);
