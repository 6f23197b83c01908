import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

/** With a key there is no session to end; the cookie goes in either case. */
const logout: Operation<typeof accountRoutes.logout> = async ({ sessions }, { caller, setSession }) => {
  if (caller.kind === 'session') await sessions().end(caller.session);
  setSession('ended');
};

export const handler = endpoint(accountRoutes.logout, logout);
