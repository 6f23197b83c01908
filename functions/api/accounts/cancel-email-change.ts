import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const cancelEmailChange: Operation<typeof accountRoutes.cancelEmailChange> = ({ emailChanges }, { caller }) =>
  emailChanges().cancel(caller.account);

export const handler = endpoint(accountRoutes.cancelEmailChange, cancelEmailChange);
