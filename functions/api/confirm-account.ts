import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const confirmAccount: Operation<typeof routes.confirm> = ({ registration }, { input, caller }) =>
  registration().confirm(caller.accountId, input.query.token);

export const handler = endpoint(routes.confirm, confirmAccount);
