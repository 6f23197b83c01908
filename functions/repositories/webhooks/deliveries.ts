import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { dayOf } from '#contract/shared/time.ts';
import type { Random } from '#domain/shared/ports.ts';
import {
  type Delivery,
  type DeliveryStore,
  type DueDelivery,
  type RecordedAttempt,
  retentionMs,
} from '#domain/webhooks/delivery.ts';
import type { WebhookRef } from '#domain/webhooks/webhook.ts';
import { seconds } from '../accounts/account-items.ts';
import { accountPartition, readable, readItem, readItems, sortKeyOf } from '../shared/read-items.ts';
import { type TransactItem, commit, putNew } from '../shared/transaction.ts';
import { leases, type WebhookTables } from './leases.ts';
import {
  StoredDelivery,
  deliveryKey,
  deliveryKeyAt,
  deliveryPrefix,
  deliveryRow,
  dueDeliveryOf,
  pendingPlace,
  placeKey,
  placeRow,
  placesUntil,
  requestedPlace,
  webhookPartition,
} from './webhooks.ts';

type LogAndQueue = Pick<DeliveryStore, 'add' | 'page' | 'find' | 'requeue' | 'due' | 'record'>;

/** Reads per page of the log. A read ends at 1 MB. */
const maxReads = 5;

/** `publicOrigin`: base URL of links in emails. */
export const deliveryStore = (
  client: DynamoDBDocumentClient,
  tables: WebhookTables,
  publicOrigin: string,
  random: Random,
): DeliveryStore => ({
  ...deliveryLog(client, tables.webhooks),
  ...leases(client, tables, publicOrigin, random),
});

function deliveryLog(client: DynamoDBDocumentClient, table: string): LogAndQueue {
  const put = (Item: Record<string, unknown>): TransactItem => ({ Put: { TableName: table, Item } });

  async function add(deliveries: readonly Delivery[], once?: string): Promise<boolean> {
    const rows = deliveries.flatMap((delivery) => {
      const place = pendingPlace(delivery);
      return [putNew(table, deliveryRow(delivery, place)), put(placeRow(delivery, place, delivery.createdAt))];
    });
    return commit(client, once === undefined ? rows : [...rows, ...onceItems(table, deliveries, once)]);
  }

  async function requeue(delivery: Delivery, now: number): Promise<Delivery> {
    const place = requestedPlace(delivery.id);
    const pending: Delivery = { ...delivery, status: 'pending', tries: 0, nextAttemptAt: now };
    const { pk, sk, attempts, last: _, ...fields } = deliveryRow(pending, place);
    const names = Object.keys(fields);
    const update = {
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}, attempts = if_not_exists(attempts, :attempts)`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
        ':attempts': attempts,
      },
    };
    await commit(client, [{ Update: update }, put(placeRow(delivery, place, now))]);
    return pending;
  }

  async function page(ref: WebhookRef, limit: number, cursor: string | undefined, now: number) {
    const query: QueryCommandInput = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      FilterExpression: '#ttl > :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':pk': webhookPartition(ref.id),
        ':first': deliveryPrefix,
        ':last': `${deliveryPrefix}${cursor ?? '~'}`,
        ':now': Math.floor(now / 1000),
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit + 2,
    };
    const items: Record<string, unknown>[] = [];
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    for (let reads = 0; reads < maxReads && items.length <= limit; reads++) {
      const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
      items.push(...Items.filter((item) => sortKeyOf(item) !== `${deliveryPrefix}${cursor ?? ''}`));
      if (!LastEvaluatedKey) break;
      ExclusiveStartKey = LastEvaluatedKey;
    }
    const shown = items.slice(0, limit);
    const next = items.length > limit ? sortKeyOf(shown.at(-1)).slice(deliveryPrefix.length) : null;
    return { deliveries: readable(StoredDelivery, shown), next };
  }

  async function find(ref: WebhookRef, id: string, now: number): Promise<Delivery | undefined> {
    const item = await readItem(client, table, deliveryKey(ref.id, id));
    const isKept = item && v.parse(v.object({ ttl: v.number() }), item).ttl * 1000 > now;
    return isKept ? v.parse(StoredDelivery, item) : undefined;
  }

  /** Deletes queue items whose delivery was rescheduled or is no longer pending. */
  async function due({ id }: WebhookRef, now: number, limit: number): Promise<DueDelivery[]> {
    for (;;) {
      const places = await placesAt(id, now, limit);
      if (places.length === 0) return [];
      const pending = (await deliveriesAt(id, places)).filter(({ place }) => places.includes(place));
      const held = new Set(pending.map(({ place }) => place));
      await Promise.all(places.filter((place) => !held.has(place)).map((place) => remove(id, place)));
      if (pending.length > 0) return pending.toSorted((one, other) => (one.place < other.place ? -1 : 1));
    }
  }

  async function placesAt(id: string, moment: number, limit: number): Promise<string[]> {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': webhookPartition(id), ...placesUntil(moment) },
      ProjectionExpression: 'sk',
      ConsistentRead: true,
      Limit: limit,
    });
    return ((await client.send(query)).Items ?? []).map(sortKeyOf);
  }

  async function deliveriesAt(id: string, places: readonly string[]): Promise<DueDelivery[]> {
    const keys = new Map(places.map((place) => deliveryKeyAt(id, place)).map((key) => [key.sk, key]));
    const found = await readItems(client, table, [...keys.values()]);
    return found.flatMap((item) => dueDeliveryOf(item) ?? []);
  }

  async function remove(id: string, place: string): Promise<void> {
    await client.send(new DeleteCommand({ TableName: table, Key: placeKey(id, place) }));
  }

  async function record({ delivery, result, status, nextAttemptAt }: RecordedAttempt): Promise<void> {
    const { webhook, id, place } = delivery;
    const next = nextAttemptAt === undefined ? undefined : pendingPlace({ ...delivery, nextAttemptAt });
    const { retryAfterMs: _, ...last } = result;
    const values = {
      ':status': status,
      ':attempts': delivery.attempts + 1,
      ':tries': delivery.tries + 1,
      ':last': last,
      ':place': place,
      ...(next !== undefined && { ':next': next, ':at': nextAttemptAt }),
    };
    const places = next === undefined ? 'REMOVE place, nextAttemptAt' : ', place = :next, nextAttemptAt = :at';
    const update = {
      TableName: table,
      Key: deliveryKey(webhook.id, id),
      UpdateExpression: `SET #status = :status, attempts = :attempts, tries = :tries, #last = :last${next === undefined ? ' ' : ''}${places}`,
      ConditionExpression: 'place = :place',
      ExpressionAttributeNames: { '#status': 'status', '#last': 'last' },
      ExpressionAttributeValues: values,
    };
    await commit(client, [
      { Update: update },
      { Delete: { TableName: table, Key: placeKey(webhook.id, place) } },
      ...(next === undefined ? [] : [put(placeRow(delivery, next, nextAttemptAt ?? 0))]),
    ]);
  }

  return { add, page, find, requeue, due, record };
}

/** One-time events per account and day (UTC). Rules can be changed in a loop, and one call can trigger many. */
const maxPerDay = 100;

function onceItems(table: string, [delivery]: readonly Delivery[], name: string): TransactItem[] {
  if (!delivery) return [];
  const { webhook, createdAt } = delivery;
  const pk = accountPartition(webhook.accountId);
  const ttl = seconds(createdAt + 2 * retentionMs);
  const date = dayOf(createdAt);
  const counted: TransactItem = {
    Update: {
      TableName: table,
      Key: { pk, sk: `once#${date}` },
      UpdateExpression: 'SET #ttl = :ttl ADD events :one',
      ConditionExpression: 'attribute_not_exists(events) OR events < :max',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':max': maxPerDay, ':ttl': ttl },
    },
  };
  return [putNew(table, { pk, sk: `once#${name}`, ttl }), counted];
}
