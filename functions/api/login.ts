import { routes } from '#contract/routes.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const login: Operation<typeof routes.login> = async ({ accounts, metering, clock }, { input, setSession }) => {
  const { account, session } = await accounts().login(input.body);
  setSession(session);
  const meter = await metering().current(account.id, clock.now());
  return { ...account, isSubscribe: isSubscribed(meter) };
};

export const handler = endpoint(routes.login, login);
