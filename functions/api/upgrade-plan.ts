import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const upgradePlan: Operation<typeof routes.upgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().upgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(routes.upgradePlan, upgradePlan);
