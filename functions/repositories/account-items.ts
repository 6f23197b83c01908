import * as v from 'valibot';
import type { Account, OutgoingMail, StoredToken } from '#domain/accounts/account.ts';

/** Keys and rows of the `accounts` table: one partition per user, one per e-mail address, one per mail. */
export const userKey = (accountId: number) => ({ pk: `user#${accountId}`, sk: 'user' });
export const claimKey = (email: string) => ({ pk: `email#${email}`, sk: 'claim' });
export const sessionKey = (accountId: number, digest: string) => ({ pk: `user#${accountId}`, sk: `session#${digest}` });
export const apiKeyKey = (accountId: number, id: string) => ({ pk: `user#${accountId}`, sk: `key#${id}` });
export const mailKey = (id: string) => ({ pk: `mail#${id}`, sk: 'mail' });

const User = v.object({
  id: v.number(),
  email: v.string(),
  name: v.string(),
  role: v.literal('viewer'),
  passwordHash: v.string(),
  createdAt: v.number(),
  confirmedAt: v.optional(v.number()),
});

export function accountOf(row: unknown): Account {
  const { confirmedAt, ...user } = v.parse(User, row);
  return confirmedAt === undefined ? user : { ...user, confirmedAt };
}

export function userRow(account: Account, confirmation: StoredToken) {
  return { ...userKey(account.id), ...account, confirmation };
}

export function claimRow(account: Account) {
  return { ...claimKey(account.email), accountId: account.id };
}

export function sessionRow(accountId: number, { digest, expiresAt }: StoredToken, now: number) {
  return { ...sessionKey(accountId, digest), createdAt: now, expiresAt, ttl: Math.ceil(expiresAt / 1000) };
}

const mailLifetimeSeconds = 7 * 86_400;

/** `outbox` marks a mail that waits; the stream filter of the mailer looks for it. */
export function mailRow({ id, ...mail }: OutgoingMail, now: number) {
  return { ...mailKey(id), outbox: id, ...mail, createdAt: now, ttl: Math.ceil(now / 1000) + mailLifetimeSeconds };
}

const Mail = v.object({ outbox: v.string(), to: v.string(), subject: v.string(), text: v.string(), html: v.string() });

export function mailOf(row: unknown): OutgoingMail {
  const { outbox, ...mail } = v.parse(Mail, row);
  return { id: outbox, ...mail };
}
