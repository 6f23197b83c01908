import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const resumeSubscription: Operation<typeof subscriptionRoutes.resumeSubscription> = (
  { subscriptions },
  { input, caller },
) => subscriptions().resume(caller.accountId, input.path.id);

export const handler = endpoint(subscriptionRoutes.resumeSubscription, resumeSubscription);
