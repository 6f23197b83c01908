import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getSubscription: Operation<typeof routes.getSubscription> = ({ subscriptions }, { caller }) =>
  subscriptions().current(caller.accountId);

export const handler = endpoint(routes.getSubscription, getSubscription);
