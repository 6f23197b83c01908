import { signInRoutes } from '#contract/routes/accounts/sign-in.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const login: Operation<typeof signInRoutes.login> = async (
  services,
  { input, network, device, origin, setSession, setDevice },
) => {
  const { email, password } = input.body;
  const account = await services.signIn().signIn(email, password, { network, device });
  setSession(await services.sessions().open(account, origin));
  setDevice(await services.devices().remember(account, device));
  const meter = await services.metering().current(account.id, services.clock.now());
  return { ...account, isSubscribe: isSubscribed(meter) };
};

export const handler = endpoint(signInRoutes.login, login);
