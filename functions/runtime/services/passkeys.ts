import { passkeyCeremonies } from '#domain/accounts/passkeys.ts';
import type { Services } from './container.ts';

/** A separate file, because its library is large and only one function needs it. */
export async function ceremonies({ accounts, passkeyStore, securityMails, clock, environment }: Services) {
  const { webAuthn } = await import('#gateways/web-authn.ts');
  const library = webAuthn(environment.PUBLIC_ORIGIN);
  return passkeyCeremonies(accounts(), await passkeyStore(), library, (await securityMails()).ofChange, clock);
}
