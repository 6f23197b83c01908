import type { Account } from '#domain/accounts/account.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import type { SessionCall } from './operation.ts';
import type { Services } from './services/container.ts';

/** Sets the cookies of a new session and of the device. `announces`: whether the owner gets an email if the device is new. */
export async function beginSession(
  { sessions, devices }: Services,
  { device, origin, setSession, setDevice }: SessionCall,
  account: Account,
  { announces = false } = {},
): Promise<void> {
  setSession(await sessions().open(account, origin));
  setDevice(await devices().remember(account, device, announces ? origin : undefined));
}

/** Begins the session of a complete sign-in. Returns the user. */
export async function signedIn(services: Services, call: SessionCall, account: Account) {
  await beginSession(services, call, account, { announces: true });
  const meter = await services.metering().current(account.id, services.clock.now());
  return { ...account, isSubscribe: isSubscribed(meter) };
}
