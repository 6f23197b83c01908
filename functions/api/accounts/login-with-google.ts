import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const loginWithGoogle: Operation<typeof accountRoutes.loginWithGoogle> = async (
  services,
  { input, caller, device, origin, setSession, setDevice },
) => {
  const account = await services.googleSignIn().signIn(input.body.token, caller?.account);
  setSession(await services.sessions().open(account, origin));
  setDevice(await services.devices().remember(account, device));
  return account;
};

export const handler = endpoint(accountRoutes.loginWithGoogle, loginWithGoogle);
