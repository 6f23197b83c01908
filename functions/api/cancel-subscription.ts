import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const cancelSubscription: Operation<typeof routes.cancelSubscription> = ({ subscriptions }, { input, caller }) =>
  subscriptions().cancel(caller.accountId, input.path.id);

export const handler = endpoint(routes.cancelSubscription, cancelSubscription);
