import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const confirmAccount: Operation<typeof accountRoutes.confirm> = ({ registration }, { input, caller }) =>
  registration().confirm(caller.accountId, input.query.token);

export const handler = endpoint(accountRoutes.confirm, confirmAccount);
