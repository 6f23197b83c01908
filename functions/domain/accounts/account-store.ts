import type { Settled } from '../meter/billing.ts';
import type { Account, OutgoingMail, StoredToken } from './account.ts';

/** Everything registration writes, all or nothing. */
export interface NewAccount {
  readonly account: Account;
  readonly confirmation: StoredToken;
  readonly session: StoredToken;
  readonly mail: OutgoingMail;
  readonly meter: Settled;
}

/** Users, their e-mail claims and sessions in the `accounts` table. Moments in epoch ms. */
export interface AccountStore {
  /** False when the address is taken. */
  create(account: NewAccount, now: number): Promise<boolean>;
  find(accountId: number): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  setPasswordHash(accountId: number, passwordHash: string): Promise<void>;
  /** False when the digest is not of the newest confirmation token, or it has expired unused. */
  confirm(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Replaces the confirmation token; false when the account is confirmed already. */
  renewConfirmation(accountId: number, confirmation: StoredToken, mail: OutgoingMail, now: number): Promise<boolean>;
  openSession(accountId: number, session: StoredToken, now: number): Promise<void>;
  /** The account whose live session this is. */
  findBySession(accountId: number, digest: string, now: number): Promise<Account | undefined>;
  endSession(accountId: number, digest: string): Promise<void>;
}
