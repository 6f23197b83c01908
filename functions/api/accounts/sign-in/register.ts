import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

/** The field is called `password_hash` and carries the chosen password (docs/specification.md#management-interface-base_url). */
const register: Operation<typeof signInRoutes.register> = async (
  services,
  { input, network, device, origin, setSession, setDevice },
) => {
  const { email, name, password_hash: password } = input.body;
  const account = await services.registration().register({ email, name, password }, network);
  setSession(await services.sessions().open(account, origin));
  setDevice(await services.devices().remember(account, device));
  return account;
};

export const handler = endpoint(signInRoutes.register, register);
