import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { Account } from '../account.ts';
import type { IdentityStore } from '../identity-store.ts';
import { type IdentityTokens, identityOf } from './google-sign-in.ts';

/** In ms. An identity token proves its owner for so long after the provider issued it. */
const maxTokenAgeMs = 10 * 60_000;

/** Fields of a request that prove its sender: one of them is required. */
export interface OwnerProof {
  readonly password?: string | undefined;
  readonly identityToken?: string | undefined;
}

/**
 * Proves that whoever has the session also owns the account. The email address, the password and the account itself
 * change only after it: a session can be stolen, and lasts for days.
 */
export function ownerProofService(
  provePassword: (account: Account, password: string) => Promise<void>,
  identities: IdentityStore,
  tokens: IdentityTokens,
  clock: Clock,
) {
  /** Throws 401. An identity token is used up, whatever becomes of the request. */
  async function demand(account: Account, { password, identityToken }: OwnerProof): Promise<void> {
    if (identityToken !== undefined) return proveByToken(account, identityToken);
    if (password !== undefined && account.passwordHash !== undefined) return provePassword(account, password);
    const advice =
      account.passwordHash === undefined
        ? 'The account has no password; sign in with Google again and send the new token as identityToken.'
        : 'Send the current password, or the token of a new Google sign-in as identityToken.';
    throw new ServiceError('INVALID_CREDENTIALS', advice);
  }

  async function proveByToken(account: Account, token: string): Promise<void> {
    const now = clock.now();
    const verified = await tokens.verify(token, now);
    if (!account.identities?.includes(identityOf(verified)))
      throw invalid('must be of a Google account that is linked');
    if (now - verified.issuedAt > maxTokenAgeMs) throw invalid('must be at most 10 minutes old');
    if (!(await identities.consume(verified))) throw invalid('was used before');
  }

  return { demand };
}

function invalid(reason: string): ServiceError {
  return new ServiceError('INVALID_IDENTITY_TOKEN', `identityToken ${reason}; sign in with Google again.`);
}
