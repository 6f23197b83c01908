import type { Settled } from '../meter/credits/billing.ts';
import type { Account, OutgoingMail, StoredToken } from './account.ts';
import type { ConsumedToken } from './identity-store.ts';

/** Everything that comes about with an account, all or nothing. */
export interface NewAccount {
  readonly account: Account;
  readonly meter: Settled;
  /** With a password: the confirmation link. */
  readonly confirmation?: { readonly token: StoredToken; readonly mail: OutgoingMail };
  /** With an identity: the token that proved it. */
  readonly proof?: ConsumedToken;
}

/** Users and their email claims in the `accounts` table. Moments in epoch ms. */
export interface AccountStore {
  /** When the address or an identity may have its next free month, epoch seconds; undefined for one that may immediately. */
  freeFrom(account: Account): Promise<number | undefined>;
  /** False when the address, or the identity, is taken; or has had a free month that the meter takes no account of. */
  create(account: NewAccount, now: number): Promise<boolean>;
  find(accountId: number): Promise<Account | undefined>;
  /** Takes the same reads whether the address is known or not. */
  findByEmail(email: string): Promise<Account | undefined>;
  rename(accountId: number, name: string): Promise<void>;
  /** False when the digest is not of the newest confirmation token, or it has expired unused. */
  confirm(accountId: number, digest: string, now: number): Promise<boolean>;
  /** Replaces the confirmation token; false when the account is confirmed already. */
  renewConfirmation(accountId: number, token: StoredToken, mail: OutgoingMail, now: number): Promise<boolean>;
}
