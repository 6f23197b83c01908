import { type DynamoDBDocumentClient, PutCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { encodings, messageStatuses } from '#contract/messages/messages.ts';
import { channels, failures } from '#contract/messages/names.ts';
import { dayMs } from '#contract/shared/time.ts';
import {
  type CountedLimit,
  type Creation,
  type Message,
  type MessageRef,
  messageRetentionMs,
  type MessageStore,
  type SentKey,
} from '#domain/messages/message.ts';
import { seconds, storedInstant } from '../accounts/account-items.ts';
import { closingOf } from '../meter/meter-calls.ts';
import { StoredCharge, writeRefund } from '../meter/meters.ts';
import { conditionally } from '../shared/conditional.ts';
import { deletePartition } from '../shared/deletion.ts';
import { accountPartition, readable, readItem } from '../shared/read-items.ts';
import { commit, failedItems, putNew, type TransactItem } from '../shared/transaction.ts';

/** Milliseconds that an idempotency key refers to its message, as in the idempotency record. */
const keyMs = dayMs;

/** Receipts arrive for up to three days (AWS "Messaging Events"). */
const receiptsMs = 5 * dayMs;

/** Items per read and reads per page, because a filter may skip most items. */
const itemsPerRead = 200;
const maxReads = 10;

const Expiring = v.object({ expiresAt: v.number() });
const Sent = v.object({ messageId: v.string(), fingerprint: v.string(), expiresAt: v.number() });
const Named = v.object({ accountId: v.number(), messageId: v.string(), expiresAt: v.number() });
const Keyed = v.object({ sk: v.string() });

export interface MessageTables {
  readonly messages: string;
  readonly meters: () => string;
}

export function messageStore(client: DynamoDBDocumentClient, tables: MessageTables): MessageStore {
  const table = tables.messages;
  const replaced = (after: Message): TransactItem => ({
    Put: {
      TableName: table,
      Item: messageRow(after),
      ConditionExpression: 'revision = :before',
      ExpressionAttributeValues: { ':before': after.revision - 1 },
    },
  });

  const sentWith = ({ accountId, id, createdAt }: Message, key: SentKey): TransactItem => ({
    Put: {
      TableName: table,
      Item: {
        ...sentKey(accountId, key),
        messageId: id,
        fingerprint: key.fingerprint,
        expiresAt: createdAt + keyMs,
        ttl: seconds(createdAt + keyMs),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': createdAt },
    },
  });

  async function create(
    message: Message,
    limits: readonly CountedLimit[],
    key: SentKey | undefined,
  ): Promise<Creation> {
    const writes = [putNew(table, messageRow(message)), ...limits.map((limit) => counted(table, limit))];
    const failed = await failedItems(client, key === undefined ? writes : [...writes, sentWith(message, key)]);
    if (failed.length === 0) return { is: 'created' };
    if (key !== undefined && failed.includes(writes.length)) {
      const sent = await readItem(client, table, sentKey(message.accountId, key));
      if (v.is(Sent, sent) && sent.expiresAt > message.createdAt) {
        return { is: 'repeat', id: sent.messageId, fingerprint: sent.fingerprint };
      }
    }
    // Reports the exhausted limit that ends last, so that the advised wait is sufficient.
    const used = limits.filter((_, index) => failed.includes(index + 1));
    const [by] = used.toSorted((one, other) => other.endsAt - one.endsAt);
    if (!by) throw new Error('a message was refused by no rule that is known');
    return { is: 'limited', by, isShare: await isShareUsed(by) };
  }

  async function isShareUsed({ share, ...limit }: CountedLimit): Promise<boolean> {
    if (!share) return false;
    const count = await readItem(client, table, countKey(limit));
    return Number(count?.[ownCount(share.accountId)] ?? 0) >= share.max;
  }

  async function page(
    accountId: number,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
    now: number,
    isWanted: (message: Message) => boolean,
  ) {
    const query: QueryCommandInput = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': accountPartition(accountId),
        ':first': messagePrefix,
        ':last': `${messagePrefix}${cursor ?? '~'}`,
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: itemsPerRead,
    };
    const items: Message[] = [];
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    for (let reads = 0; reads < maxReads; reads++) {
      const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
      for (const message of readable(
        StoredMessage,
        Items.filter((item) => v.is(Expiring, item) && item.expiresAt > now),
      )) {
        if (message.id === cursor || !isWanted(message)) continue;
        if (items.length === limit) return { items, next: items.at(-1)?.id ?? null };
        items.push(message);
      }
      ExclusiveStartKey = LastEvaluatedKey;
      if (!LastEvaluatedKey) return { items, next: null };
    }
    return { items, next: ExclusiveStartKey ? v.parse(Keyed, ExclusiveStartKey).sk.slice(messagePrefix.length) : null };
  }

  return {
    async find(ref, now) {
      const item = await readItem(client, table, messageKey(ref));
      return v.is(Expiring, item) && item.expiresAt > now ? v.parse(StoredMessage, item) : undefined;
    },
    async findByCarrier(carrierId, now) {
      const item = await readItem(client, table, carrierKey(carrierId));
      return v.is(Named, item) && item.expiresAt > now ? { accountId: item.accountId, id: item.messageId } : undefined;
    },
    async noteCarrierId({ accountId, id: messageId, createdAt }, carrierId) {
      const expiresAt = createdAt + receiptsMs;
      const Item = { ...carrierKey(carrierId), accountId, messageId, expiresAt, ttl: seconds(expiresAt) };
      const rules = { ConditionExpression: 'attribute_not_exists(pk)' };
      await conditionally(client.send(new PutCommand({ TableName: table, Item, ...rules })));
    },
    page,
    create,
    change: (after) => commit(client, [replaced(after)]),
    release(after, limits, key) {
      const back = limits.filter(({ share }) => share !== undefined).map((limit) => uncount(table, limit));
      const freed = key && {
        Put: {
          TableName: table,
          Item: { ...sentKey(after.accountId, key), expiresAt: 0, ttl: seconds(after.updatedAt) },
        },
      };
      return commit(client, [replaced(after), ...back, ...(freed ? [freed] : [])]);
    },
    async charge(after, settlement) {
      const failed = await failedItems(client, [replaced(after), closingOf(tables.meters(), settlement)]);
      if (failed.length === 0) return 'done';
      return failed.includes(0) ? 'changed' : 'meter changed';
    },
    refund: (after, refund) => writeRefund(client, tables.meters(), refund, replaced(after)),
  };
}

/**
 * Keys of the `messages` table. Account partition: messages, idempotency keys and the daily count. A partition each:
 * counts of numbers and ranges, and carrier message ids.
 */
const messagePrefix = 'message#';

export const messageKey = ({ accountId, id }: MessageRef) => ({
  pk: accountPartition(accountId),
  sk: `${messagePrefix}${id}`,
});
const sentKey = (accountId: number, { id }: SentKey) => ({ pk: accountPartition(accountId), sk: `sent#${id}` });

const carrierKey = (carrierId: string) => ({ pk: `carrier#${carrierId}`, sk: 'message' });

const countKey = ({ name, subject, startsAt }: CountedLimit) => ({
  pk: name === 'account' ? accountPartition(Number(subject)) : `${name}#${subject}`,
  sk: `count#${String(startsAt).padStart(15, '0')}`,
});

const ownCount = (accountId: number): string => `of#${accountId}`;

const idIn = (key: string): string => key.slice(key.lastIndexOf('#') + 1);

/** Whether an item of the table is a message. */
export const isMessage = (item: Readonly<Record<string, unknown>>): boolean => 'status' in item;

export const StoredMessage = v.pipe(
  v.object({
    pk: v.string(),
    sk: v.string(),
    channel: v.picklist(channels),
    to: v.string(),
    text: v.string(),
    status: v.picklist(messageStatuses),
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

/** `expiresAt` in epoch ms, because TTL deletes items days late. */
function messageRow({ accountId, id, ...message }: Message) {
  const expiresAt = message.createdAt + messageRetentionMs;
  return { ...messageKey({ accountId, id }), ...message, expiresAt, ttl: seconds(expiresAt) };
}

/** Fails at the limit. A shared limit also counts per account. */
function counted(TableName: string, limit: CountedLimit): TransactItem {
  const { share } = limit;
  const isBelow = (count: string, max: string) => `(attribute_not_exists(${count}) OR ${count} < ${max})`;
  return {
    Update: {
      TableName,
      ...changeBy(1, limit),
      ConditionExpression: `${isBelow('#count', ':max')}${share ? ` AND ${isBelow('#own', ':share')}` : ''}`,
      ExpressionAttributeValues: { ...valuesOf(1, limit), ':max': limit.max, ...(share && { ':share': share.max }) },
    },
  };
}

function uncount(TableName: string, limit: CountedLimit): TransactItem {
  return { Update: { TableName, ...changeBy(-1, limit) } };
}

function changeBy(by: 1 | -1, limit: CountedLimit) {
  const { share } = limit;
  return {
    Key: countKey(limit),
    UpdateExpression: `SET #ttl = :ttl ADD #count :by${share ? ', #own :by' : ''}`,
    ExpressionAttributeNames: { '#ttl': 'ttl', '#count': 'count', ...(share && { '#own': ownCount(share.accountId) }) },
    ExpressionAttributeValues: valuesOf(by, limit),
  };
}

const valuesOf = (by: 1 | -1, { endsAt }: CountedLimit) => ({ ':by': by, ':ttl': seconds(endsAt) });

export const purgeMessages = (
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> => deletePartition(client, table, accountPartition(accountId), signal);
