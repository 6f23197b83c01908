import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listSessions: Operation<typeof routes.listSessions> = ({ sessions }, { caller }) =>
  sessions().list(caller.account, caller.session);

export const handler = endpoint(routes.listSessions, listSessions);
