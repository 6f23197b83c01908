import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const createSubscription: Operation<typeof routes.createSubscription> = ({ subscriptions }, { input, caller }) =>
  subscriptions().create(caller.accountId, input.body.planId);

export const handler = endpoint(routes.createSubscription, createSubscription);
