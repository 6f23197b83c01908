import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const confirmAccount: Operation<typeof routes.confirm> = ({ accounts }, { input, caller }) =>
  accounts().confirm(caller.accountId, input.query.token);

export const handler = endpoint(routes.confirm, confirmAccount);
