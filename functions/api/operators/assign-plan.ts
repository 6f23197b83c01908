import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const assignPlan: Operation<typeof operatorRoutes.assignPlan> = async ({ operators }, { input, caller, requestId }) =>
  (await operators()).actions().assignPlan(input.path.id, input.body.planId, {
    by: caller.accountId,
    reason: input.body.reason,
    requestId,
  });

export const handler = endpoint(operatorRoutes.assignPlan, assignPlan);
