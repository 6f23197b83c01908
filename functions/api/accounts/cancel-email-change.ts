import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const cancelEmailChange: Operation<typeof accountRoutes.cancelEmailChange> = ({ emailChanges }, { caller }) =>
  emailChanges().cancel(caller.account);

export const handler = endpoint(accountRoutes.cancelEmailChange, cancelEmailChange);
