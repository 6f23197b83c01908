import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const endSession: Operation<typeof signInRoutes.endSession> = ({ sessions }, { input, caller }) =>
  sessions().endOther(caller.account, input.path.id, caller.session);

export const handler = endpoint(signInRoutes.endSession, endSession);
