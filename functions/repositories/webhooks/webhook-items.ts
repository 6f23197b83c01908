import * as v from 'valibot';
import { deliveryStatuses, disabledReasons } from '#contract/webhooks/webhooks.ts';
import { type Delivery, type DueDelivery, type Lease, retentionMs } from '#domain/webhooks/delivery.ts';
import type { Webhook, WebhookRef } from '#domain/webhooks/webhook.ts';
import { seconds, storedInstant } from '../accounts/account-items.ts';

/**
 * Keys of the `webhooks` table. Account partition: its webhooks. Webhook partition: its deliveries and its queue,
 * with one item per pending delivery, ordered by due time.
 */
export const accountPartition = (accountId: number): string => `account#${accountId}`;
export const webhookPartition = (id: string): string => `webhook#${id}`;
export const webhookPrefix = 'webhook#';
export const deliveryPrefix = 'delivery#';
const queuePrefix = 'due#';

export const webhookKey = ({ accountId, id }: WebhookRef) => ({
  pk: accountPartition(accountId),
  sk: `${webhookPrefix}${id}`,
});
export const deletedKey = ({ accountId, id }: WebhookRef) => ({ pk: accountPartition(accountId), sk: `deleted#${id}` });
export const deliveryKey = (webhook: string, id: string) => ({
  pk: webhookPartition(webhook),
  sk: `${deliveryPrefix}${id}`,
});
export const placeKey = (webhook: string, place: string) => ({ pk: webhookPartition(webhook), sk: place });

export const webhookIdIn = (sk: string): string => sk.slice(sk.indexOf('#') + 1);

export function refOf({ pk, sk }: { pk: string; sk: string }): WebhookRef {
  return { accountId: Number(webhookIdIn(pk)), id: webhookIdIn(sk) };
}

/** Sorts before all times, for deliveries requested by the owner. */
const requested = 1;

const placeAt = (moment: number, id: string): string => `${queuePrefix}${String(moment).padStart(15, '0')}#${id}`;
export const pendingPlace = ({ id, nextAttemptAt = requested }: Delivery): string => placeAt(nextAttemptAt, id);
export const requestedPlace = (id: string): string => placeAt(requested, id);

export const timeOf = (place: string): number => Number(place.slice(queuePrefix.length, queuePrefix.length + 15));
export const isRequested = (place: string): boolean => timeOf(place) === requested;
const deliveryIdIn = (place: string): string => place.slice(queuePrefix.length + 16);
export const deliveryKeyAt = (webhook: string, place: string) => deliveryKey(webhook, deliveryIdIn(place));

export const placesUntil = (moment: number) => ({
  ':first': queuePrefix,
  ':last': `${queuePrefix}${String(moment).padStart(15, '0')}~`,
});

/** Partitions of the sweep's index. */
export const shards = 8;
export const shardOf = ({ accountId }: WebhookRef): number => accountId % shards;

const WebhookItem = v.object({
  pk: v.string(),
  sk: v.string(),
  url: v.string(),
  events: v.array(v.string()),
  description: v.exactOptional(v.string()),
  status: v.picklist(['active', 'disabled']),
  disabledReason: v.exactOptional(v.picklist(disabledReasons)),
  secrets: v.array(v.object({ value: v.string(), until: v.exactOptional(v.number()) })),
  createdAt: storedInstant,
  revision: v.number(),
  failures: v.number(),
  failingSince: v.exactOptional(storedInstant),
  pausedUntil: v.exactOptional(storedInstant),
  isSlow: v.exactOptional(v.boolean()),
  wake: v.string(),
});

const LeaseAttributes = v.object({
  wake: v.string(),
  token: v.string(),
  lane: v.picklist(['normal', 'slow']),
  lease: v.number(),
});

export function webhookOf(item: unknown): Webhook {
  const { pk, sk, failures, failingSince, pausedUntil, isSlow, wake: _, ...webhook } = v.parse(WebhookItem, item);
  const health = {
    failures,
    ...(failingSince && { failingSince }),
    ...(pausedUntil && { pausedUntil }),
    ...(isSlow && { isSlow }),
  };
  return { ...refOf({ pk, sk }), ...webhook, health };
}

export function leaseOf(item: unknown): Lease {
  const { lease: until, ...lease } = v.parse(LeaseAttributes, item);
  return { webhook: webhookOf(item), ...lease, until };
}

export function webhookRow({ accountId, id, health, ...webhook }: Webhook) {
  return { ...webhookKey({ accountId, id }), ...webhook, ...health, wake: 'none' };
}

const DeliveryItem = v.object({
  a: v.number(),
  pk: v.string(),
  sk: v.string(),
  eventId: v.string(),
  type: v.string(),
  body: v.string(),
  status: v.picklist(deliveryStatuses),
  attempts: v.number(),
  tries: v.number(),
  createdAt: storedInstant,
  nextAttemptAt: v.exactOptional(storedInstant),
  place: v.exactOptional(v.string()),
  last: v.exactOptional(
    v.object({
      durationMs: v.number(),
      status: v.exactOptional(v.number()),
      body: v.exactOptional(v.string()),
      error: v.exactOptional(v.string()),
    }),
  ),
});

export const StoredDelivery = v.pipe(
  DeliveryItem,
  v.transform((item): Delivery => {
    const { a: accountId, pk, sk, place: _, ...delivery } = item;
    return { ...delivery, id: webhookIdIn(sk), webhook: { accountId, id: webhookIdIn(pk) } };
  }),
);

export function dueDeliveryOf(item: unknown): DueDelivery | undefined {
  const read = v.safeParse(DeliveryItem, item);
  const place = read.success && read.output.status === 'pending' ? read.output.place : undefined;
  if (place === undefined) return undefined;
  return { ...v.parse(StoredDelivery, item), place, isRequested: isRequested(place) };
}

export function deliveryRow({ webhook, id, ...delivery }: Delivery, place: string) {
  const ttl = seconds(delivery.createdAt + retentionMs);
  return { ...deliveryKey(webhook.id, id), a: webhook.accountId, ...delivery, place, ttl };
}

/** A queue item expires after its delivery, so that no pending delivery lacks one. */
export function placeRow({ webhook }: Delivery, place: string, now: number) {
  return { ...placeKey(webhook.id, place), ttl: seconds(now + 2 * retentionMs) };
}
