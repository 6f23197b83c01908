import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listSessions: Operation<typeof accountRoutes.listSessions> = ({ sessions }, { caller }) =>
  sessions().list(caller.account, caller.session);

export const handler = endpoint(accountRoutes.listSessions, listSessions);
