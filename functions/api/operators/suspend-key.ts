import { operatorRoutes } from '#contract/routes/operators.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const suspendKey: Operation<typeof operatorRoutes.suspendKey> = async ({ operators }, { input, caller, requestId }) =>
  (await operators()).actions().suspendKey(input.path.id, input.path.keyId, {
    by: caller.accountId,
    reason: input.body.reason,
    requestId,
  });

export const handler = endpoint(operatorRoutes.suspendKey, suspendKey);
