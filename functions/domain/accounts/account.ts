import { canonicalEmail } from '#contract/accounts/email.ts';
import { isName, withoutHidden } from '#contract/accounts/names.ts';
import type { Plans } from '#contract/billing/plans.ts';
import type { Settled } from '../meter/credits/billing.ts';
import type { ConsumedToken } from './google-sign-in.ts';
import type { CommonPasswords } from './passwords.ts';

/** A person's account. Moments in epoch ms. */
export interface Account {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Absent where one signs in with the identity provider only. */
  readonly passwordHash?: string;
  readonly createdAt: number;
  /** Absent until the email address is confirmed. */
  readonly confirmedAt?: number;
  /** When all sessions were last ended; a session lives while this is what it was when the session was opened. */
  readonly sessionsValidFrom?: number;
  /** `issuer#subject` of each linked identity. */
  readonly identities?: readonly string[];
  readonly suspendedAt?: number;
  readonly deletedAt?: number;
  /** The change of the address that was requested last. */
  readonly emailChange?: EmailChange;
}

/** A change of the email address, waiting or ended. Moments in epoch ms. */
export interface EmailChange {
  readonly email: string;
  /** Of the token that went to the current address. */
  readonly oldDigest: string;
  /** Of the token that went to the new address; absent where that address has an account, and got none. */
  readonly newDigest?: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** The account's when it was requested; once the account has another, nothing is changed any more. */
  readonly sessionsValidFrom: number;
  readonly oldConfirmedAt?: number;
  readonly newConfirmedAt?: number;
  /** Absent while it waits. */
  readonly outcome?: EmailChangeOutcome;
}

export const emailChangeOutcomes = ['changed', 'refused', 'cancelled'] as const;
export type EmailChangeOutcome = (typeof emailChangeOutcomes)[number];

export const roles = ['viewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** A secret whose holder proves something; only its digest is stored. `expiresAt` in epoch ms. */
export interface StoredToken {
  readonly digest: string;
  readonly expiresAt: number;
}

/** A mail that waits to be sent. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Addresses are compared without regard to case, and to how their domain is written; what is none is as unknown as any. */
export function normalizedEmail(email: string): string {
  return canonicalEmail(email) ?? email.toLowerCase();
}

const maxCharacters = 64;

/** A name by the rule of names, of one that somebody else vouches for: cleaned, else the address stands for it. */
export function nameFor(email: string, name = ''): string {
  const cleaned = Array.from(withoutHidden(name)).slice(0, maxCharacters).join('').trim();
  const beforeAt = email.slice(0, email.lastIndexOf('@'));
  return [cleaned, beforeAt].find(isName) ?? 'Member';
}

export interface AccountSettings {
  /** Origin of the dashboard, which mail links lead to. */
  readonly publicOrigin: string;
  readonly scryptLog2Cost: number;
  readonly commonPasswords: CommonPasswords;
  readonly plans: Plans;
}

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

/** A deleted account whose data is kept until `purgeAt` (epoch ms). */
export interface DeletedAccount {
  readonly accountId: number;
  readonly purgeAt: number;
}

export interface Removal {
  readonly purgeAt: number;
  readonly freeFrom: number | undefined;
}

/** Accounts that are deleted and wait to be purged. Moments in epoch ms. */
export interface AccountDeletionStore {
  /**
   * Stops keys and sessions immediately, frees the email address and the identities, whose next free month may begin at
   * `freeFrom` (epoch seconds) where it is given.
   */
  remove(account: Account, until: Removal, notice: OutgoingMail | undefined, now: number): Promise<void>;
  toBePurged(now: number): AsyncGenerator<DeletedAccount>;
  /** Deletes everything but the ledger, whose rows are never deleted. Throws once `signal` aborts: the next run deletes the rest. */
  purge(deleted: DeletedAccount, signal?: AbortSignal): Promise<void>;
}
