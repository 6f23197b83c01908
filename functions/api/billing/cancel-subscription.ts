import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const cancelSubscription: Operation<typeof subscriptionRoutes.cancelSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().cancel(caller.accountId, input.path.id);

export const handler = endpoint(subscriptionRoutes.cancelSubscription, cancelSubscription);
