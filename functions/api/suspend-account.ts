import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const suspendAccount: Operation<typeof routes.suspendAccount> = ({ operators }, { input, caller, requestId }) =>
  operators().suspend(input.path.id, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(routes.suspendAccount, suspendAccount);
