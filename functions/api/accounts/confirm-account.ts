import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const confirmAccount: Operation<typeof accountRoutes.confirm> = ({ registration }, { input, caller }) =>
  registration().confirm(caller.accountId, input.query.token);

export const handler = endpoint(accountRoutes.confirm, confirmAccount);
