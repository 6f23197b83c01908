import { isOfOwner, isPredictable } from '#contract/accounts/guessable-password.ts';
import { issueCredential, newRequestId, parseCredential } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  type Account,
  type AccountSettings,
  type AccountStore,
  nameFor,
  normalizedEmail,
  type OutgoingMail,
  type StoredToken,
} from './account.ts';
import { type MailContent, passwordChangedMail, resetMail } from './mails.ts';
import { hashPassword } from './password-hash.ts';
import { furtherResetLinks, mailsFromNetwork, mailsToAddress, passwordGuesses, type Throttle } from './throttle.ts';

const resetLifetimeMs = 30 * 60_000;

/** Losing to another link that is made for the account just now, several times over, is left to the job's next run. */
const maxTries = 5;

/** Reset by mail, and change of the password (docs/specification.md#authentication 6). */
export function passwordService(
  accounts: AccountStore,
  passwords: PasswordStore,
  throttle: Throttle,
  clock: Clock,
  random: Random,
  settings: AccountSettings,
) {
  /**
   * The response is the same, by the same work, whether the address has an account or not. When the links that anybody can request
   * are used up, a confirmed account still gets a further one every ten minutes (ADR 10).
   */
  async function forgot(email: string, network?: string): Promise<void> {
    if (network) await throttle.demand(mailsFromNetwork, network);
    const address = normalizedEmail(email);
    const isFurther = (await throttle.take(mailsToAddress, address)) > 0;
    if (isFurther && (await throttle.take(furtherResetLinks, address)) > 0) return;
    await passwords.requestReset(newRequestId(random), { email: address, isFurther, requestedAt: clock.now() });
  }

  /**
   * Issues the token and its email for a request of `forgot`. Idempotent. A request that is older than the account's
   * credentials issues no link, because the change of credentials ended earlier links.
   */
  async function sendResetLink(requestId: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const request = await passwords.findRequest(requestId);
      if (!request) return;
      const account = await accounts.findByEmail(request.email);
      const now = clock.now();
      const isDue =
        (!request.isFurther || account?.confirmedAt !== undefined) &&
        request.requestedAt > (account?.sessionsValidFrom ?? Number.NEGATIVE_INFINITY);
      const issued = account && isDue ? resetOf(account, request.isFurther, now) : undefined;
      if (await passwords.closeRequest(requestId, issued, now)) return;
    }
    throw new Error('the account had other links made meanwhile');
  }

  /** The account as it is then. The hash is made only for a token that is good, and used only if it still is. */
  async function reset(tokenText: string, newPassword: string): Promise<Account> {
    const token = parseCredential(tokenText);
    if (token?.kind !== 'reset') throw badToken();
    const { accountId, digest } = token;
    if (!(await passwords.isResetToken(accountId, digest, clock.now()))) throw badToken();
    const account = await accounts.find(accountId);
    if (!account || account.deletedAt !== undefined) throw badToken();
    await checkNew(account, newPassword);
    const hash = await hashed(newPassword);
    // Who registered with an address that nobody confirmed may be a stranger: the name goes with the password.
    const name = account.confirmedAt === undefined && { name: nameFor(account.email) };
    const to = { passwordHash: hash, ...name };
    if (!(await passwords.reset(accountId, digest, to, noticeTo(account), clock.now()))) throw badToken();
    await throttle.clear(passwordGuesses, account.email);
    return (await accounts.find(accountId)) ?? account;
  }

  /** Refuses (400) a password that is easily guessed. */
  function checkNew(account: Account, newPassword: string): Promise<void> {
    return refuseGuessablePassword(settings.commonPasswords, newPassword, account, 'newPassword');
  }

  /** `checkNew` comes before it. All sessions end, the current one too; the caller opens another. */
  async function change(account: Account, newPassword: string): Promise<void> {
    const hash = await hashed(newPassword);
    if (await passwords.change(account.id, account.passwordHash, hash, noticeTo(account), clock.now())) return;
    throw new ServiceError('INVALID_STATE', 'The password has changed. Sign in again.');
  }

  function resetOf(account: Account, isFurther: boolean, now: number) {
    const { text, digest } = issueCredential('reset', account.id, random);
    const mail = mailTo(account, resetMail(account, `${settings.publicOrigin}/reset-password?token=${text}`));
    return { account, token: { digest, expiresAt: now + resetLifetimeMs }, isFurther, mail };
  }

  function noticeTo(account: Account): OutgoingMail {
    return mailTo(account, passwordChangedMail(account, `${settings.publicOrigin}/forgot-password`));
  }

  function mailTo(account: Account, content: MailContent): OutgoingMail {
    return { id: newRequestId(random), to: account.email, ...content };
  }

  function hashed(password: string): Promise<string> {
    return hashPassword(password, settings.scryptLog2Cost, random.bytes(16));
  }

  return { forgot, sendResetLink, reset, checkNew, change };
}

function badToken(): ServiceError {
  return new ServiceError('INVALID_TOKEN', 'The reset link has expired or was already used. Request a new one.');
}

/** Passwords that an attacker tries first. */
export interface CommonPasswords {
  has(password: string): Promise<boolean>;
}

/** Refuses (400) a new password that is easily guessed, by anybody or by who knows whose it is; `field` is what the caller called it. */
export async function refuseGuessablePassword(
  common: CommonPasswords,
  password: string,
  owner: Pick<Account, 'email' | 'name'>,
  field: string,
): Promise<void> {
  if (isOfOwner(password, owner))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be your email address or your name.`);
  if (isPredictable(password) || (await common.has(password)))
    throw new ServiceError('INVALID_FORMAT', `${field} must not be one of the most common passwords.`);
}

/**
 * A request for a reset link. `isFurther`: the limit of links that anyone can request was reached. `requestedAt` in
 * epoch ms.
 */
export interface ResetRequest {
  readonly email: string;
  readonly requestedAt: number;
  readonly isFurther: boolean;
}

/** A reset token and its mail. A further one ends none that live, any other one ends them all. */
export interface IssuedReset {
  readonly account: Account;
  readonly token: StoredToken;
  readonly isFurther: boolean;
  readonly mail: OutgoingMail;
}

/** What an account becomes by a reset. `name` replaces one that a stranger may have chosen. */
export interface ResetAccount {
  readonly passwordHash: string;
  readonly name?: string;
}

/** Password hashes and reset tokens. Moments in epoch ms. */
export interface PasswordStore {
  /** The same password, hashed at today's cost; nothing happens when it was changed meanwhile. */
  rehash(accountId: number, before: string, passwordHash: string): Promise<void>;
  /** Notes that somebody requested a reset link; a job does the rest, so the response reveals nothing by its time. */
  requestReset(requestId: string, request: ResetRequest): Promise<void>;
  /** The request if it is still open. */
  findRequest(requestId: string): Promise<ResetRequest | undefined>;
  /**
   * Closes a request and stores the link issued for it. Returns false if the request is already closed, or the account
   * has changed since it was read.
   */
  closeRequest(requestId: string, reset: IssuedReset | undefined, now: number): Promise<boolean>;
  /** Whether this is a reset token that was not used, ended or expired. */
  isResetToken(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Uses up the reset token and all others, ends all sessions and sends the notice; false when the token is not good any more. */
  reset(accountId: number, digest: string, to: ResetAccount, notice: OutgoingMail, now: number): Promise<boolean>;
  /**
   * Replaces the hash `before` and ends all earlier sessions and reset links. Returns false if `before` is no longer
   * the stored hash.
   */
  change(
    accountId: number,
    before: string | undefined,
    passwordHash: string,
    notice: OutgoingMail,
    now: number,
  ): Promise<boolean>;
}
