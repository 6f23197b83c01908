import { subscriptionRoutes } from '#contract/routes/subscriptions.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const upgradePlan: Operation<typeof subscriptionRoutes.upgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().upgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(subscriptionRoutes.upgradePlan, upgradePlan);
