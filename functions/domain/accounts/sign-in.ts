import { minuteMs } from '#contract/shared/time.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type Account, type AccountSettings, type AccountStore, normalizedEmail } from './account.ts';
import { identityOf, type IdentityStore, type IdentityTokens } from './google-sign-in.ts';
import { decoyHash, hashPassword, isOutdated, verifyPassword, type PasswordStore } from './passwords.ts';
import type { FactorProof } from './second-factor.ts';
import type { DeviceService } from './sessions.ts';
import {
  deviceGuesses,
  guessesFromNetwork,
  passwordGuesses,
  sessionGuesses,
  type Throttle,
  type ThrottleRule,
} from './throttle.ts';

export interface SignInOrigin {
  readonly network: string | undefined;
  readonly device: string | undefined;
}

/** A sign-in does not wait for its rehash on a busy process. */
const rehashWaitMs = 0;

export function signInService(
  accounts: AccountStore,
  passwords: PasswordStore,
  devices: DeviceService,
  throttle: Throttle,
  random: Random,
  settings: AccountSettings,
) {
  /**
   * Counts attempts before hashing, including those for unknown addresses, which have the same response and timing. A
   * known device's attempts are counted separately.
   */
  async function signIn(email: string, password: string, { network, device }: SignInOrigin): Promise<Account> {
    const address = normalizedEmail(email);
    const known = await devices.knownTo(address, device);
    if (known !== undefined) return guess(deviceGuesses, known, address, password);
    if (network) await throttle.enforce(guessesFromNetwork, network);
    const account = await guess(passwordGuesses, address, address, password);
    if (network) await throttle.release(guessesFromNetwork, network);
    return account;
  }

  async function guess(rule: ThrottleRule, subject: string, address: string, password: string): Promise<Account> {
    await throttle.enforce(rule, subject);
    const account = await accounts.findByEmail(address);
    await verifyAttempt(rule, subject, account, password);
    if (!account) throw wrongCredentials();
    await throttle.clear(rule, subject);
    await rehashIfOutdated(account, password);
    return account;
  }

  /** Failures count for the sign-in too, so that a stolen session yields no additional guesses. */
  async function prove(account: Account, password: string): Promise<void> {
    const subject = String(account.id);
    await throttle.enforce(sessionGuesses, subject);
    try {
      await verifyAttempt(sessionGuesses, subject, account, password);
    } catch (error) {
      if (!isBusy(error)) await throttle.take(passwordGuesses, account.email);
      throw error;
    }
    await throttle.clear(sessionGuesses, subject);
  }

  /** Verifies the password of a counted attempt. An attempt that could not be verified is not counted. */
  async function verifyAttempt(rule: ThrottleRule, subject: string, account: Account | undefined, password: string) {
    try {
      await verify(account, password);
    } catch (error) {
      if (isBusy(error)) await throttle.release(rule, subject);
      throw error;
    }
  }

  async function verify(account: Account | undefined, password: string): Promise<void> {
    const stored = account?.passwordHash ?? decoyHash(settings.scryptLog2Cost);
    if (!(await verifyPassword(password, stored)) || !account) throw wrongCredentials();
  }

  async function rehashIfOutdated({ id, passwordHash: stored }: Account, password: string): Promise<void> {
    if (stored === undefined || !isOutdated(stored, password, settings.scryptLog2Cost)) return;
    try {
      const hash = await hashPassword(password, settings.scryptLog2Cost, random.bytes(16), rehashWaitMs);
      await passwords.rehash(id, stored, hash);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }

  return { signIn, prove };
}

function isBusy(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
}

function wrongCredentials(): ServiceError {
  return new ServiceError('INVALID_CREDENTIALS', 'Incorrect email address or password.');
}

/** Maximum age in ms of an identity token that proves its owner. */
const maxTokenAgeMs = 10 * minuteMs;

export interface OwnerProof extends FactorProof {
  readonly password?: string | undefined;
  readonly identityToken?: string | undefined;
}

/** Proves that the holder of the session owns the account, because a session can be stolen and lasts for days. */
export function ownerProofService(
  provePassword: (account: Account, password: string) => Promise<void>,
  identities: IdentityStore,
  tokens: IdentityTokens,
  proveFactor: (account: Account, proof: FactorProof) => Promise<void>,
  clock: Clock,
) {
  /** Also requires the second factor of an account that has one. */
  async function requireProof(account: Account, proof: OwnerProof): Promise<void> {
    await requireFirst(account, proof);
    await proveFactor(account, proof);
  }

  /** Requires only the password or an identity token. */
  async function requireFirst(account: Account, { password, identityToken }: OwnerProof): Promise<void> {
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

  return { require: requireProof, requireFirst };
}

function invalid(reason: string): ServiceError {
  return new ServiceError('INVALID_IDENTITY_TOKEN', `identityToken ${reason}; sign in with Google again.`);
}
