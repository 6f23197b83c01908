import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getSubscription: Operation<typeof subscriptionRoutes.getSubscription> = ({ subscriptions }, { caller }) =>
  subscriptions().current(caller.accountId);

export const handler = endpoint(subscriptionRoutes.getSubscription, getSubscription);
