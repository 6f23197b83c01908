import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const suspendAccount: Operation<typeof operatorRoutes.suspendAccount> = async (
  { operators },
  { input, caller, requestId },
) =>
  (await operators()).actions().suspend(input.path.id, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(operatorRoutes.suspendAccount, suspendAccount);
