import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const assignPlan: Operation<typeof routes.assignPlan> = ({ operators }, { input, caller, requestId }) =>
  operators().assignPlan(input.path.id, input.body.planId, {
    by: caller.accountId,
    reason: input.body.reason,
    requestId,
  });

export const handler = endpoint(routes.assignPlan, assignPlan);
