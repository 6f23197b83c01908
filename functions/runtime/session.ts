import type { Account } from '#domain/accounts/account.ts';
import { isSubscribed } from '#domain/meter/meter.ts';
import type { Credential } from '#domain/shared/credential.ts';
import type { SessionCall } from './operation.ts';
import type { Services } from './services/container.ts';

interface Beginning {
  /** Whether the owner gets an email if the device is new. */
  readonly announces?: boolean;
  /** The session that the new one continues, if the person proved ownership in it without a second factor. */
  readonly provedIn?: Credential | undefined;
  readonly byPasskey?: boolean;
}

/** Sets the cookies of a new session and of the device. */
export async function beginSession(
  { sessions, devices }: Services,
  { device, origin, setSession, setDevice }: SessionCall,
  account: Account,
  { announces = false, provedIn, byPasskey = false }: Beginning = {},
): Promise<void> {
  setSession(await sessions().open(account, origin, { replaced: provedIn, byPasskey }));
  setDevice(await devices().remember(account, device, announces ? origin : undefined));
}

/** Begins the session of a complete sign-in. Returns the user. */
export async function signedIn(services: Services, call: SessionCall, account: Account, start: Beginning = {}) {
  await beginSession(services, call, account, { announces: true, ...start });
  const meter = await services.metering().current(account.id, services.clock.now());
  return { ...account, isSubscribe: isSubscribed(meter) };
}
