import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const downgradePlan: Operation<typeof subscriptionRoutes.downgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().downgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(subscriptionRoutes.downgradePlan, downgradePlan);
