import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const resumeSubscription: Operation<typeof subscriptionRoutes.resumeSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().resume(caller.accountId, input.path.id);

export const handler = endpoint(subscriptionRoutes.resumeSubscription, resumeSubscription);
