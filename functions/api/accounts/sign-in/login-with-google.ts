import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const loginWithGoogle: Operation<typeof signInRoutes.loginWithGoogle> = async (
  services,
  { input, caller, device, origin, setSession, setDevice },
) => {
  const account = await services.googleSignIn().signIn(input.body.token, caller?.account);
  setSession(await services.sessions().open(account, origin));
  setDevice(await services.devices().remember(account, device));
  return account;
};

export const handler = endpoint(signInRoutes.loginWithGoogle, loginWithGoogle);
