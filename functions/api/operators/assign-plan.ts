import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const assignPlan: Operation<typeof operatorRoutes.assignPlan> = ({ operators }, { input, caller, requestId }) =>
  operators().assignPlan(input.path.id, input.body.planId, {
    by: caller.accountId,
    reason: input.body.reason,
    requestId,
  });

export const handler = endpoint(operatorRoutes.assignPlan, assignPlan);
