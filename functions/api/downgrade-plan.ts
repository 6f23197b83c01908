import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const downgradePlan: Operation<typeof routes.downgradePlan> = ({ subscriptions }, { input, caller }) =>
  subscriptions().downgrade(caller.accountId, input.body.newPlanId);

export const handler = endpoint(routes.downgradePlan, downgradePlan);
