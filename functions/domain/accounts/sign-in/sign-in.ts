import type { Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import type { AccountStore } from '../account-store.ts';
import { type Account, normalizedEmail } from '../account.ts';
import { decoyHash, hashPassword, isOutdated, verifyPassword } from '../passwords/password-hash.ts';
import type { PasswordStore } from '../passwords/password-store.ts';
import type { AccountSettings } from '../settings.ts';
import {
  deviceGuesses,
  guessesFromNetwork,
  passwordGuesses,
  sessionGuesses,
  type Throttle,
  type ThrottleRule,
} from '../throttle.ts';
import type { DeviceService } from './devices.ts';

/** Where a sign-in comes from: its network where those are limited, and what the cookie of known devices holds. */
export interface SignInOrigin {
  readonly network: string | undefined;
  readonly device: string | undefined;
}

/** A sign-in does not wait for its rehash on a busy process. */
const rehashWaitMs = 0;

/** Sign-in by email and password. */
export function signInService(
  accounts: AccountStore,
  passwords: PasswordStore,
  devices: DeviceService,
  throttle: Throttle,
  random: Random,
  settings: AccountSettings,
) {
  /**
   * The account whose password this is. Tries are counted before the hash, for unknown addresses alike; an unknown
   * address takes the same time and has the same response as a wrong password. The tries of a known device are counted by
   * themselves, and the right password there forgets none of those that strangers made.
   */
  async function signIn(email: string, password: string, { network, device }: SignInOrigin): Promise<Account> {
    const address = normalizedEmail(email);
    const known = await devices.knownTo(address, device);
    if (known !== undefined) return guess(deviceGuesses, known, address, password);
    if (network) await throttle.demand(guessesFromNetwork, network);
    const account = await guess(passwordGuesses, address, address, password);
    if (network) await throttle.release(guessesFromNetwork, network);
    return account;
  }

  async function guess(rule: ThrottleRule, subject: string, address: string, password: string): Promise<Account> {
    await throttle.demand(rule, subject);
    const account = await accounts.findByEmail(address);
    await judge(rule, subject, account, password);
    if (!account) throw wrongCredentials();
    await throttle.clear(rule, subject);
    await rehashIfOutdated(account, password);
    return account;
  }

  /**
   * For a person who is signed in and must show that they know the password. Strangers' tries do not count here, but
   * wrong ones here count among theirs: a session that was stolen gives no further tries at signing in.
   */
  async function prove(account: Account, password: string): Promise<void> {
    const subject = String(account.id);
    await throttle.demand(sessionGuesses, subject);
    try {
      await judge(sessionGuesses, subject, account, password);
    } catch (error) {
      if (!isBusy(error)) await throttle.take(passwordGuesses, account.email);
      throw error;
    }
    await throttle.clear(sessionGuesses, subject);
  }

  /** Verifies the password of a counted attempt. An attempt that could not be verified is not counted. */
  async function judge(rule: ThrottleRule, subject: string, account: Account | undefined, password: string) {
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
      // The password is correct, so a later login can replace the hash.
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
