import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const grantCredits: Operation<typeof operatorRoutes.grantCredits> = async (
  { operators },
  { input, caller, requestId },
) =>
  (await operators())
    .actions()
    .grant(input.path.id, input.body.credits, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(operatorRoutes.grantCredits, grantCredits);
