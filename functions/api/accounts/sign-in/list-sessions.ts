import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listSessions: Operation<typeof signInRoutes.listSessions> = ({ sessions }, { caller }) =>
  sessions().list(caller.account, caller.session);

export const handler = endpoint(signInRoutes.listSessions, listSessions);
