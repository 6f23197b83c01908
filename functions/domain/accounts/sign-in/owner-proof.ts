import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { Account } from '../account.ts';
import type { IdentityStore } from '../identity-store.ts';
import { type IdentityTokens, identityOf } from './google-sign-in.ts';

/** Milliseconds after its issue in which an identity token proves its owner. */
const maxTokenAgeMs = 10 * 60_000;

/** Request fields that prove the owner. One of them is required. */
export interface OwnerProof {
  readonly password?: string | undefined;
  readonly identityToken?: string | undefined;
}

/**
 * Proves that the holder of the session owns the account. Required to change the email address or password or to delete
 * the account, because a session can be stolen and lasts for days.
 */
export function ownerProofService(
  provePassword: (account: Account, password: string) => Promise<void>,
  identities: IdentityStore,
  tokens: IdentityTokens,
  clock: Clock,
) {
  /** Throws 401. An identity token is used up, even if the request fails. */
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
    if (!account.identities?.includes(identityOf(verified))) throw invalid('must be for a linked Google account');
    if (now - verified.issuedAt > maxTokenAgeMs) throw invalid('must be at most 10 minutes old');
    if (!(await identities.consume(verified))) throw invalid('was already used');
  }

  return { demand };
}

function invalid(reason: string): ServiceError {
  return new ServiceError('INVALID_IDENTITY_TOKEN', `identityToken ${reason}; sign in with Google again.`);
}
