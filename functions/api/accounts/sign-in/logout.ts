import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

/** With a key there is no session to end; the cookie goes in either case. */
const logout: Operation<typeof signInRoutes.logout> = async ({ sessions }, { caller, setSession }) => {
  if (caller.kind === 'session') await sessions().end(caller.session);
  setSession('ended');
};

export const handler = endpoint(signInRoutes.logout, logout);
