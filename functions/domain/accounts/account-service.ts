import { type Credential, issueCredential, parseCredential } from '../credential.ts';
import { newAccountId, newRequestId } from '../ids.ts';
import { openMeter } from '../meter/billing.ts';
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '../passwords.ts';
import type { Clock, Random } from '../ports.ts';
import { ServiceError } from '../service-error.ts';
import type { Account, OutgoingMail, StoredToken } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { confirmationMail } from './mails.ts';

/** Token lifetimes in ms (design section 6; reference: reliability section 4). */
const confirmationLifetime = 24 * 3_600_000;
const sessionLifetime = 12 * 3_600_000;

export interface AccountSettings {
  /** Origin of the dashboard, which mail links lead to. */
  readonly publicOrigin: string;
  readonly scryptLog2Cost: number;
}

/** An account and the session that was just opened for it; `text` is shown to the browser once. */
export interface SignedIn {
  readonly account: Account;
  readonly session: { readonly text: string; readonly lifetimeMs: number };
}

/** Registration, sign-in and confirmation (spec "Authentication"). */
export function accountService(accounts: AccountStore, clock: Clock, random: Random, settings: AccountSettings) {
  async function register(input: { email: string; name: string; password: string }): Promise<SignedIn> {
    const passwordHash = await hashPassword(input.password, settings.scryptLog2Cost, random.bytes(16));
    const now = clock.now();
    const id = newAccountId(random);
    const account: Account = {
      id,
      email: normalized(input.email),
      name: input.name,
      role: 'viewer',
      passwordHash,
      createdAt: now,
    };
    const { confirmation, mail } = confirmationFor(account, now);
    const { text, token } = sessionFor(id, now);
    const meter = openMeter(id, Math.floor(now / 1000));
    const isNew = await accounts.create({ account, confirmation, session: token, mail, meter }, now);
    if (!isNew)
      throw new ServiceError(
        'EMAIL_ALREADY_REGISTERED',
        'An account with this e-mail address exists; sign in instead.',
      );
    return { account, session: { text, lifetimeMs: sessionLifetime } };
  }

  /** An unknown address takes the same time and answers the same as a wrong password. */
  async function login(input: { email: string; password: string }): Promise<SignedIn> {
    const account = await accounts.findByEmail(normalized(input.email));
    const stored = account?.passwordHash ?? decoyHash(settings.scryptLog2Cost);
    const isRight = await verifyPassword(input.password, stored);
    if (!account || !isRight)
      throw new ServiceError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong.');
    if (isOutdated(stored, settings.scryptLog2Cost)) await rehash(account.id, input.password);
    const now = clock.now();
    const { text, token } = sessionFor(account.id, now);
    await accounts.openSession(account.id, token, now);
    return { account, session: { text, lifetimeMs: sessionLifetime } };
  }

  /** Repeating it with the account's own newest token is fine: mail scanners open links before people do. */
  async function confirm(accountId: number, tokenText: string): Promise<void> {
    const token = parseCredential(tokenText);
    const isOwn = token?.kind === 'confirmation' && token.accountId === accountId;
    if (!isOwn || !(await accounts.confirm(accountId, token.digest, clock.now()))) {
      throw new ServiceError(
        'INVALID_TOKEN',
        'token must be the one of the newest confirmation mail, and at most 24 hours old.',
      );
    }
  }

  async function resendConfirmation(account: Account): Promise<void> {
    const now = clock.now();
    const { confirmation, mail } = confirmationFor(account, now);
    if (!(await accounts.renewConfirmation(account.id, confirmation, mail, now))) {
      throw new ServiceError('INVALID_STATE', 'The e-mail address is confirmed already.');
    }
  }

  async function get(accountId: number): Promise<Account> {
    const account = await accounts.find(accountId);
    if (!account) throw new ServiceError('NOT_FOUND', 'There is no such account.');
    return account;
  }

  async function rehash(accountId: number, password: string): Promise<void> {
    await accounts.setPasswordHash(accountId, await hashPassword(password, settings.scryptLog2Cost, random.bytes(16)));
  }

  function confirmationFor(account: Account, now: number): { confirmation: StoredToken; mail: OutgoingMail } {
    const token = issueCredential('confirmation', account.id, random);
    const content = confirmationMail(account.name, `${settings.publicOrigin}/confirm?token=${token.text}`);
    return {
      confirmation: { digest: token.digest, expiresAt: now + confirmationLifetime },
      mail: { id: newRequestId(random), to: account.email, ...content },
    };
  }

  function sessionFor(accountId: number, now: number): { text: string; token: StoredToken } {
    const { text, digest } = issueCredential('session', accountId, random);
    return { text, token: { digest, expiresAt: now + sessionLifetime } };
  }

  return {
    register,
    login,
    confirm,
    resendConfirmation,
    get,
    findBySession: (session: Credential) => accounts.findBySession(session.accountId, session.digest, clock.now()),
    logout: (session: Credential) => accounts.endSession(session.accountId, session.digest),
  };
}

/** Addresses are compared without regard to case. */
function normalized(email: string): string {
  return email.toLowerCase();
}
