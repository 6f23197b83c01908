import { canonicalEmail } from '#contract/accounts/email.ts';
import { isName, withoutHidden } from '#contract/accounts/names.ts';
import type { Language, MailKind } from '#contract/accounts/preferences.ts';
import type { Plans } from '#contract/billing/plans.ts';
import type { Settled } from '../meter/meter.ts';
import type { OutgoingMail } from '../shared/ports.ts';
import type { ConsumedToken } from './google-sign-in.ts';
import type { CommonPasswords } from './passwords.ts';
import type { AcceptedTerms } from './terms.ts';

/** Times in epoch ms. */
export interface Account {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Absent for accounts that only use the identity provider. */
  readonly passwordHash?: string;
  readonly createdAt: number;
  /** Absent until the email address is confirmed. */
  readonly confirmedAt?: number;
  /** Changed to end all sessions. A session is valid while the value is the same as when it was opened. */
  readonly sessionsValidFrom?: number;
  readonly identities?: readonly string[];
  /** Since when a sign-in needs a code of the authenticator app. */
  readonly secondFactorAt?: number;
  readonly suspendedAt?: number;
  readonly deletedAt?: number;
  readonly emailChange?: EmailChange;
  readonly terms?: AcceptedTerms;
  /** Kinds of emails that the owner has switched off. */
  readonly mailsOff?: readonly MailKind[];
  /** Absent if none was chosen. */
  readonly language?: Language;
}

/** A pending or ended change of the email address. Times in epoch ms. */
export interface EmailChange {
  readonly email: string;
  readonly oldDigest: string;
  /** Digest of the token sent to the new address; absent if another account has that address. */
  readonly newDigest?: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly sessionsValidFrom: number;
  readonly oldConfirmedAt?: number;
  readonly newConfirmedAt?: number;
  readonly outcome?: EmailChangeOutcome;
}

export const emailChangeOutcomes = ['changed', 'refused', 'cancelled'] as const;
export type EmailChangeOutcome = (typeof emailChangeOutcomes)[number];

export const roles = ['viewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** A secret whose digest is stored. `expiresAt` in epoch ms. */
export interface StoredToken {
  readonly digest: string;
  readonly expiresAt: number;
}

/** Normalizes case and domain. An invalid address is only lower-cased and never matches an account. */
export function normalizedEmail(email: string): string {
  return canonicalEmail(email) ?? email.toLowerCase();
}

const maxCharacters = 64;

/** Returns a valid name: the cleaned name from an identity provider, or else the local part of the address. */
export function nameFor(email: string, name = ''): string {
  const cleaned = Array.from(withoutHidden(name)).slice(0, maxCharacters).join('').trim();
  const beforeAt = email.slice(0, email.lastIndexOf('@'));
  return [cleaned, beforeAt].find(isName) ?? 'Member';
}

export interface AccountSettings {
  readonly publicOrigin: string;
  readonly scryptLog2Cost: number;
  readonly commonPasswords: CommonPasswords;
  readonly plans: Plans;
}

export interface NewAccount {
  readonly account: Account;
  readonly meter: Settled;
  readonly confirmation?: { readonly token: StoredToken; readonly mail: OutgoingMail };
  readonly proof?: ConsumedToken;
}

/** The account's fields that the person changes at once. */
export type ProfileChange = Partial<Pick<Account, 'name' | 'language'>>;

export interface AccountStore {
  /** Epoch seconds of the next free month of the address or an identity; undefined for immediately. */
  freeFrom(account: Account): Promise<number | undefined>;
  create(account: NewAccount, now: number): Promise<boolean>;
  find(accountId: number): Promise<Account | undefined>;
  /** Costs the same reads for known and unknown addresses. */
  findByEmail(email: string): Promise<Account | undefined>;
  change(accountId: number, change: ProfileChange): Promise<void>;
  setMailsOff(accountId: number, kinds: readonly MailKind[]): Promise<void>;
  confirm(accountId: number, digest: string, now: number): Promise<boolean>;
  renewConfirmation(accountId: number, token: StoredToken, mail: OutgoingMail, now: number): Promise<boolean>;
}

export interface DeletedAccount {
  readonly accountId: number;
  readonly purgeAt: number;
}

export interface Removal {
  readonly purgeAt: number;
  readonly freeFrom: number | undefined;
}

export interface AccountDeletionStore {
  /**
   * Disables keys and sessions and releases the address and identities. `freeFrom` in epoch seconds. Returns false if
   * the account is a member of an organization, or was deleted.
   */
  remove(account: Account, until: Removal, notice: OutgoingMail | undefined, now: number): Promise<boolean>;
  toBePurged(now: number): AsyncGenerator<DeletedAccount>;
  /** Deletes all data except the ledger. Throws if `signal` aborts; the next run deletes the rest. */
  purge(deleted: DeletedAccount, signal?: AbortSignal): Promise<void>;
}
