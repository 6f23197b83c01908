import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import { deliveryStatuses, disabledReasons } from '#contract/webhooks/webhooks.ts';
import { retentionMs, type Delivery, type DueDelivery, type Lease } from '#domain/webhooks/delivery.ts';
import type { Webhook, WebhookRef, WebhookStore } from '#domain/webhooks/webhook.ts';
import { seconds, storedInstant } from '../accounts/account-items.ts';
import { conditionally } from '../shared/conditional.ts';
import { deleteKeys, deletePartition, keysIn } from '../shared/deletion.ts';
import { accountPartition, readItem, readPrefix } from '../shared/read-items.ts';
import { type TransactItem, commit, putNew } from '../shared/transaction.ts';

/** The fields that the owner can change. All others are reset by a change. */
const changeable = [
  'url',
  'events',
  'description',
  'status',
  'disabledReason',
  'secrets',
  'revision',
] as const satisfies readonly (keyof Webhook)[];

/** `metersTable` is read only when a webhook is created or deleted. */
export function webhookStore(client: DynamoDBDocumentClient, table: string, metersTable: () => string): WebhookStore {
  function named(
    { accountId, id }: WebhookRef,
    action: 'ADD' | 'DELETE',
    condition: string,
    values = {},
  ): TransactItem {
    return {
      Update: {
        TableName: metersTable(),
        Key: { a: accountId },
        UpdateExpression: `${action} wh :ids REMOVE #last`,
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':ids': new Set([id]), ...values },
      },
    };
  }

  return {
    async list(accountId) {
      const found = (await readPrefix(client, table, accountPartition(accountId), webhookPrefix)).map(webhookOf);
      return found.toSorted((one, other) => other.createdAt - one.createdAt || one.id.localeCompare(other.id));
    },
    async find(ref) {
      const item = await readItem(client, table, webhookKey(ref));
      return item && webhookOf(item);
    },
    create(webhook) {
      const isRoom = 'attribute_exists(a) AND (attribute_not_exists(wh) OR size(wh) < :max)';
      const naming = named(webhook, 'ADD', isRoom, { ':max': limits.webhooks });
      return commit(client, [naming, putNew(table, webhookRow(webhook))]);
    },
    async change(after) {
      const set = changeable.filter((field) => after[field] !== undefined);
      const removed = changeable.filter((field) => after[field] === undefined);
      const asleep = after.status === 'disabled' ? ['p', '#due'] : [];
      const update = new UpdateCommand({
        TableName: table,
        Key: webhookKey(after),
        UpdateExpression: [
          `SET ${set.map((field) => `#${field} = :${field}`).join(', ')}, failures = :none`,
          `REMOVE ${['failingSince', 'pausedUntil', 'isSlow', ...removed.map((field) => `#${field}`), ...asleep].join(', ')}`,
        ].join(' '),
        ConditionExpression: '#revision = :before',
        ExpressionAttributeNames: {
          ...Object.fromEntries(changeable.map((field) => [`#${field}`, field])),
          ...(asleep.length > 0 && { '#due': 'due' }),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(set.map((field) => [`:${field}`, after[field]])),
          ':before': after.revision - 1,
          ':none': 0,
        },
      });
      return 'done' in (await conditionally(client.send(update)));
    },
    remove(webhook, now) {
      const ttl = seconds(now + 2 * retentionMs);
      return commit(client, [
        named(webhook, 'DELETE', 'attribute_exists(a)'),
        { Delete: { TableName: table, Key: webhookKey(webhook), ConditionExpression: 'attribute_exists(pk)' } },
        { Put: { TableName: table, Item: { ...deletedKey(webhook), ttl } } },
      ]);
    },
  };
}

/** Deletes the webhooks of an account and all their deliveries, including those of webhooks deleted earlier. */
export async function purgeWebhooks(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> {
  for await (const webhook of keysIn(client, table, accountPartition(accountId))) {
    await deletePartition(client, table, webhookPartition(webhookIdIn(webhook.sk)), signal);
    await deleteKeys(client, table, [webhook]);
  }
}

/**
 * Keys of the `webhooks` table. Account partition: its webhooks. Webhook partition: its deliveries and its queue,
 * with one item per pending delivery, ordered by due time.
 */
export const webhookPartition = (id: string): string => `webhook#${id}`;
export const webhookPrefix = 'webhook#';
export const deliveryPrefix = 'delivery#';
const queuePrefix = 'due#';

export const webhookKey = ({ accountId, id }: WebhookRef) => ({
  pk: accountPartition(accountId),
  sk: `${webhookPrefix}${id}`,
});
const deletedKey = ({ accountId, id }: WebhookRef) => ({ pk: accountPartition(accountId), sk: `deleted#${id}` });
export const deliveryKey = (webhook: string, id: string) => ({
  pk: webhookPartition(webhook),
  sk: `${deliveryPrefix}${id}`,
});
export const placeKey = (webhook: string, place: string) => ({ pk: webhookPartition(webhook), sk: place });

const webhookIdIn = (sk: string): string => sk.slice(sk.indexOf('#') + 1);

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
  /** Speed of the delivery. */
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
  const { lane: speed, lease: until, ...lease } = v.parse(LeaseAttributes, item);
  return { webhook: webhookOf(item), ...lease, speed, until };
}

function webhookRow({ accountId, id, health, ...webhook }: Webhook) {
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
