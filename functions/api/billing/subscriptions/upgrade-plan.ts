import { subscriptionRoutes } from '#contract/routes/billing/subscriptions.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const upgradePlan: Operation<typeof subscriptionRoutes.upgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().upgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(subscriptionRoutes.upgradePlan, upgradePlan);
