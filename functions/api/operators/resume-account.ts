import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const resumeAccount: Operation<typeof operatorRoutes.resumeAccount> = async (
  { operators },
  { input, caller, requestId },
) =>
  (await operators()).actions().resume(input.path.id, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(operatorRoutes.resumeAccount, resumeAccount);
