import { hash } from 'node:crypto';
import * as v from 'valibot';
import { isLanguage, type Language, type MailKind, mailKinds } from '#contract/accounts/preferences.ts';
import { isInstant } from '#contract/shared/fields.ts';
import { daySeconds } from '#contract/shared/time.ts';
import { type Account, emailChangeOutcomes, roles, type StoredToken } from '#domain/accounts/account.ts';
import type { OutgoingMail } from '#domain/shared/ports.ts';
import { putNew, type TransactItem } from '../shared/transaction.ts';

/** Keys and rows of the `accounts` table: one partition per user, per email address and per email. */
export const userKey = (accountId: number) => ({ pk: `user#${accountId}`, sk: 'user' });
/** An organization has the partition that an account of its id would have: keys, emails and the purge are the same. */
export const organizationKey = (id: number) => ({ pk: `user#${id}`, sk: 'organization' });
export const memberPrefix = 'member#';
export const memberKey = (id: number, userId: number) => ({ pk: `user#${id}`, sk: `${memberPrefix}${userId}` });
export const uniqueEmailKey = (email: string) => ({ pk: `email#${email}`, sk: 'claim' });
export const sessionKey = (accountId: number, digest: string) => ({ pk: `user#${accountId}`, sk: `session#${digest}` });
export const deviceKey = (accountId: number, digest: string) => ({ pk: `user#${accountId}`, sk: `device#${digest}` });
export const pendingSignInKey = (accountId: number, digest: string) => ({
  pk: `user#${accountId}`,
  sk: `second-factor#${digest}`,
});
export const totpKey = (accountId: number) => ({ pk: `user#${accountId}`, sk: 'totp' });
export const passkeyKey = (accountId: number, digest: string) => ({ pk: `user#${accountId}`, sk: `passkey#${digest}` });
export const passkeyChallengeKey = (digest: string) => ({ pk: `passkey-challenge#${digest}`, sk: 'challenge' });
export const apiKeyKey = (accountId: number, id: string) => ({ pk: `user#${accountId}`, sk: `key#${id}` });
export const usableKeysKey = (accountId: number) => ({ pk: `user#${accountId}`, sk: 'usable-keys' });
export const mailKey = (id: string) => ({ pk: `mail#${id}`, sk: 'mail' });
export const mailNotePrefix = 'mail#';
/** Index of the account's emails by time. The user's partition contains it, so that it is purged with the account. */
const mailNoteKey = (accountId: number, at: number, id: string) => ({
  pk: `user#${accountId}`,
  sk: `${mailNotePrefix}${String(at).padStart(15, '0')}#${id}`,
});
export const mailIdOf = (noteKey: string): string => noteKey.slice(noteKey.indexOf('#', mailNotePrefix.length) + 1);
/** Hashed, because it outlives the account. Earlier versions stored the address. */
export const suppressionKeys = (address: string) =>
  [hash('sha256', address, 'base64url').slice(0, 22), address].map((name) => ({
    pk: `suppressed#${name}`,
    sk: 'suppressed',
  }));

export const identityKey = (identity: string) => ({ pk: `identity#${identity}`, sk: 'claim' });
export const identityTokenKey = (digest: string) => ({ pk: `identity-token#${digest}`, sk: 'used' });
export const resetRequestKey = (id: string) => ({ pk: `reset#${id}`, sk: 'request' });
export const throttleKey = (id: string) => ({ pk: `throttle#${id}`, sk: 'throttle' });

/** Previous addresses by time. The user's partition contains them, so that they are purged with the account. */
export const formerEmailKey = (accountId: number, at: number) => ({
  pk: `user#${accountId}`,
  sk: `former-email#${String(at).padStart(15, '0')}`,
});

export const purgeKey = (accountId: number, purgeAt: number) => ({
  pk: 'purge',
  sk: `${String(purgeAt).padStart(15, '0')}#${accountId}`,
});

/** Epoch ms within the range that a response can represent. */
export const storedInstant = v.pipe(v.number(), v.check(isInstant));

const EmailChange = v.object({
  email: v.string(),
  oldDigest: v.string(),
  newDigest: v.exactOptional(v.string()),
  requestedAt: v.number(),
  expiresAt: storedInstant,
  sessionsValidFrom: v.number(),
  oldConfirmedAt: v.exactOptional(v.number()),
  newConfirmedAt: v.exactOptional(v.number()),
  outcome: v.exactOptional(v.picklist(emailChangeOutcomes)),
});

const User = v.object({
  language: v.exactOptional(v.custom<Language>(isLanguage)),
  id: v.number(),
  email: v.string(),
  name: v.string(),
  role: v.picklist(roles),
  passwordHash: v.exactOptional(v.string()),
  createdAt: v.number(),
  confirmedAt: v.exactOptional(v.number()),
  sessionsValidFrom: v.exactOptional(v.number()),
  identities: v.exactOptional(v.array(v.string())),
  secondFactorAt: v.exactOptional(v.number()),
  suspendedAt: v.exactOptional(v.number()),
  deletedAt: v.exactOptional(v.number()),
  emailChange: v.exactOptional(EmailChange),
  terms: v.exactOptional(v.object({ version: v.number(), at: storedInstant })),
  mailsOff: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.transform((kinds) => kinds.filter((kind): kind is MailKind => mailKinds.some((known) => known === kind))),
    ),
  ),
});

export function accountOf(row: unknown): Account {
  return v.parse(User, row);
}

export interface Condition {
  readonly expression: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Requires that the account has not changed since it was read: same address, not deleted, sessions not ended. */
export function unchangedSinceRead({ email, sessionsValidFrom }: Account): Condition {
  const sessions =
    sessionsValidFrom === undefined ? 'attribute_not_exists(sessionsValidFrom)' : 'sessionsValidFrom = :validFrom';
  return {
    expression: `email = :email AND attribute_not_exists(deletedAt) AND ${sessions}`,
    values: { ':email': email, ...(sessionsValidFrom !== undefined && { ':validFrom': sessionsValidFrom }) },
  };
}

export function userRow(account: Account, confirmation: StoredToken | undefined) {
  return { ...userKey(account.id), ...account, ...(confirmation && { confirmation }) };
}

/** Builds a unique constraint item: its key (email address, identity or position) belongs to one account. */
export function uniqueRow<Key extends object>(key: Key, accountId: number) {
  return { ...key, accountId };
}

const UniqueItem = v.object({ accountId: v.number() });

export function ownerOf(row: unknown): number {
  return v.parse(UniqueItem, row).accountId;
}

/** Converts epoch ms to a TTL in epoch seconds. */
export function seconds(moment: number): number {
  return Math.ceil(moment / 1000);
}

const pendingMailSeconds = 7 * daySeconds;
/** The record of a sent email is kept for 30 days. It contains neither the text nor the links. */
export const mailRetentionSeconds = 30 * daySeconds;

/** `outbox` marks a pending email; the mailer's stream filter matches it. */
export function mailRow({ id, ...mail }: OutgoingMail, now: number) {
  return { ...mailKey(id), outbox: id, ...mail, createdAt: now, ttl: seconds(now) + pendingMailSeconds };
}

export function mailItems(table: string, accountId: number, mail: OutgoingMail, now: number): TransactItem[] {
  const { id, subject } = mail;
  const ttl = seconds(now) + mailRetentionSeconds;
  const note = { ...mailNoteKey(accountId, now, id), mail: id, subject, createdAt: now, ttl };
  return [putNew(table, mailRow(mail, now)), putNew(table, note)];
}

const Mail = v.object({
  outbox: v.string(),
  to: v.string(),
  subject: v.string(),
  text: v.string(),
  html: v.string(),
  letter: v.exactOptional(v.string()),
});

export function mailOf(row: unknown): OutgoingMail {
  const { outbox, ...mail } = v.parse(Mail, row);
  return { id: outbox, ...mail };
}
