import { decoyHash, hashPassword, isOutdated, verifyPassword } from '../passwords.ts';
import type { Random } from '../ports.ts';
import { ServiceError } from '../service-error.ts';
import { guessesFromNetwork, passwordGuesses, type Throttle } from '../throttle.ts';
import { type Account, normalizedEmail } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { PasswordStore } from './password-store.ts';
import type { AccountSettings } from './settings.ts';

/** Sign-in by e-mail and password. */
export function signInService(
  accounts: AccountStore,
  passwords: PasswordStore,
  throttle: Throttle,
  random: Random,
  settings: AccountSettings,
) {
  /**
   * The account whose password this is. Tries are counted before the hash, for unknown addresses alike; an unknown
   * address takes the same time and answers the same as a wrong password.
   */
  async function signIn(email: string, password: string, network?: string): Promise<Account> {
    const address = normalizedEmail(email);
    if (network) await throttle.demand(guessesFromNetwork, network);
    await throttle.demand(passwordGuesses, address);
    const account = await accounts.findByEmail(address);
    await verify(account, password);
    if (!account) throw wrongCredentials();
    await throttle.clear(passwordGuesses, address);
    if (network) await throttle.release(guessesFromNetwork, network);
    return account;
  }

  /** For a person who is signed in and must show that they know the password. */
  async function prove(account: Account, password: string): Promise<void> {
    await throttle.demand(passwordGuesses, account.email);
    await verify(account, password);
    await throttle.clear(passwordGuesses, account.email);
  }

  async function verify(account: Account | undefined, password: string): Promise<void> {
    const stored = account?.passwordHash ?? decoyHash(settings.scryptLog2Cost);
    if (!(await verifyPassword(password, stored)) || !account) throw wrongCredentials();
    if (!isOutdated(stored, settings.scryptLog2Cost)) return;
    const hash = await hashPassword(password, settings.scryptLog2Cost, random.bytes(16));
    await passwords.rehash(account.id, stored, hash);
  }

  return { signIn, prove };
}

function wrongCredentials(): ServiceError {
  return new ServiceError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong.');
}
