import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const endSession: Operation<typeof accountRoutes.endSession> = ({ sessions }, { input, caller }) =>
  sessions().endOther(caller.account, input.path.id, caller.session);

export const handler = endpoint(accountRoutes.endSession, endSession);
