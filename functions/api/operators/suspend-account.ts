import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const suspendAccount: Operation<typeof operatorRoutes.suspendAccount> = ({ operators }, { input, caller, requestId }) =>
  operators().suspend(input.path.id, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(operatorRoutes.suspendAccount, suspendAccount);
