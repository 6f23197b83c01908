import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const downgradePlan: Operation<typeof subscriptionRoutes.downgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().downgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(subscriptionRoutes.downgradePlan, downgradePlan);
