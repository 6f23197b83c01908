import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const endSession: Operation<typeof routes.endSession> = ({ sessions }, { input, caller }) =>
  sessions().endOther(caller.account, input.path.id);

export const handler = endpoint(routes.endSession, endSession);
