import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const cancelSubscription: Operation<typeof subscriptionRoutes.cancelSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().cancel(caller.accountId, input.path.id);

export const handler = endpoint(subscriptionRoutes.cancelSubscription, cancelSubscription);
