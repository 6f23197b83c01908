import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const resumeAccount: Operation<typeof routes.resumeAccount> = ({ operators }, { input, caller, requestId }) =>
  operators().resume(input.path.id, { by: caller.accountId, reason: input.body.reason, requestId });

export const handler = endpoint(routes.resumeAccount, resumeAccount);
