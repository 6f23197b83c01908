import type { Language } from '#contract/accounts/preferences.ts';
import { dayMs } from '#contract/shared/time.ts';
import { openMeter } from '../billing/grants.ts';
import { issueCredential, newAccountId, newRequestId, parseCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, type AccountSettings, type AccountStore, normalizedEmail } from './account.ts';
import { confirmationMail } from './mails.ts';
import { hashPassword, refuseGuessablePassword } from './passwords.ts';
import { acceptedNow } from './terms.ts';
import { confirmationsAgain, mailsFromNetwork, mailsToAddress, type Throttle } from './throttle.ts';

const confirmationLifetimeMs = dayMs;

export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly language?: Language | undefined;
}

/** Registers accounts and confirms their addresses (docs/specification.md#authentication 5). */
export function registrationService(
  accounts: AccountStore,
  throttle: Throttle,
  clock: Clock,
  random: Random,
  settings: AccountSettings,
) {
  /** `network`: undefined if networks are not limited. */
  async function register({ email, name, password, language }: NewPerson, network?: string): Promise<Account> {
    await refuseGuessablePassword(settings.commonPasswords, password, { email, name }, 'password_hash');
    if (network) await throttle.enforce(mailsFromNetwork, network);
    const passwordHash = await hashPassword(password, settings.scryptLog2Cost, random.bytes(16));
    const now = clock.now();
    const id = newAccountId(random);
    const account: Account = {
      id,
      email: normalizedEmail(email),
      name,
      role: 'viewer',
      passwordHash,
      createdAt: now,
      ...(language && { language }),
      ...acceptedNow(now),
    };
    const meter = openMeter(id, Math.floor(now / 1000), settings.plans, await accounts.freeFrom(account));
    const isNew = await accounts.create({ account, meter, confirmation: confirmationFor(account, now) }, now);
    if (!isNew)
      throw new ServiceError(
        'EMAIL_ALREADY_REGISTERED',
        'An account with this email address already exists. Sign in instead.',
      );
    return account;
  }

  /** Idempotent for the latest token, because email scanners open links before people do. */
  async function confirm(accountId: number, tokenText: string): Promise<void> {
    const token = parseCredential(tokenText);
    const isOwn = token?.kind === 'confirmation' && token.accountId === accountId;
    if (!isOwn || !(await accounts.confirm(accountId, token.digest, clock.now()))) {
      throw new ServiceError(
        'INVALID_TOKEN',
        'The confirmation link has expired or was replaced by a newer one. Request a new one.',
      );
    }
  }

  async function resendConfirmation(account: Account, network?: string): Promise<void> {
    const alreadyConfirmed = new ServiceError('INVALID_STATE', 'The email address is already confirmed.');
    if (account.confirmedAt !== undefined) throw alreadyConfirmed;
    if (network) await throttle.enforce(mailsFromNetwork, network);
    await throttle.enforce(confirmationsAgain, account.email);
    try {
      await throttle.enforce(mailsToAddress, account.email);
    } catch (error) {
      await throttle.release(confirmationsAgain, account.email);
      throw error;
    }
    const now = clock.now();
    const { token, mail } = confirmationFor(account, now);
    if (!(await accounts.renewConfirmation(account.id, token, mail, now))) throw alreadyConfirmed;
  }

  function confirmationFor(account: Account, now: number) {
    const { text, digest } = issueCredential('confirmation', account.id, random);
    const content = confirmationMail(account, `${settings.publicOrigin}/confirm?token=${text}`);
    return {
      token: { digest, expiresAt: now + confirmationLifetimeMs },
      mail: { id: newRequestId(random), to: account.email, ...content },
    };
  }

  return { register, confirm, resendConfirmation };
}
