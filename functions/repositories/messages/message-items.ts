import * as v from 'valibot';
import { channels } from '#contract/messages/channels.ts';
import { failures } from '#contract/messages/failures.ts';
import { encodings, messageStatuses } from '#contract/messages/messages.ts';
import { type Message, type MessageRef, messageRetentionMs } from '#domain/messages/message.ts';
import type { CountedLimit, SentKey } from '#domain/messages/ports.ts';
import { seconds, storedInstant } from '../accounts/account-items.ts';
import { StoredCharge } from '../meter/stored-charge.ts';

/**
 * Keys of the `messages` table: in the partition of an account its messages, the Idempotency-Keys that have sent one and its count of the day; the
 * counts of numbers and ranges, and the names that carriers have for messages, each in a partition of their own.
 */
export const accountPartition = (accountId: number): string => `account#${accountId}`;
export const messagePrefix = 'message#';

export const messageKey = ({ accountId, id }: MessageRef) => ({
  pk: accountPartition(accountId),
  sk: `${messagePrefix}${id}`,
});
export const sentKey = (accountId: number, { id }: SentKey) => ({ pk: accountPartition(accountId), sk: `sent#${id}` });

export const carrierKey = (carrierId: string) => ({ pk: `carrier#${carrierId}`, sk: 'message' });

export const countKey = ({ name, subject, startsAt }: CountedLimit) => ({
  pk: name === 'account' ? accountPartition(Number(subject)) : `${name}#${subject}`,
  sk: `count#${String(startsAt).padStart(15, '0')}`,
});

/** Of a shared count, what one account has of it. */
export const ownCount = (accountId: number): string => `of#${accountId}`;

const idIn = (key: string): string => key.slice(key.lastIndexOf('#') + 1);

export const StoredMessage = v.pipe(
  v.object({
    pk: v.string(),
    sk: v.string(),
    channel: v.picklist(channels),
    to: v.string(),
    text: v.string(),
    status: v.picklist(messageStatuses),
    // Messages of earlier versions have none.
    failure: v.optional(v.nullable(v.picklist(failures)), null),
    country: v.string(),
    segments: v.nullable(v.number()),
    encoding: v.nullable(v.picklist(encodings)),
    voice: v.nullable(v.string()),
    reference: v.nullable(v.string()),
    credits: v.number(),
    charge: v.exactOptional(StoredCharge),
    revision: v.number(),
    createdAt: storedInstant,
    updatedAt: storedInstant,
  }),
  v.transform(({ pk, sk, ...message }): Message => ({ accountId: Number(idIn(pk)), id: idIn(sk), ...message })),
);

/** `expiresAt` in epoch ms: items outlive it by days. */
export function messageRow({ accountId, id, ...message }: Message) {
  const expiresAt = message.createdAt + messageRetentionMs;
  return { ...messageKey({ accountId, id }), ...message, expiresAt, ttl: seconds(expiresAt) };
}
