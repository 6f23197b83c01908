import { type DynamoDBDocumentClient, PutCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { encodings, messageStatuses } from '#contract/messages/messages.ts';
import { channels, failures } from '#contract/messages/names.ts';
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
import { writeRefund } from '../meter/refund-write.ts';
import { StoredCharge } from '../meter/stored-charge.ts';
import { readable } from '../shared/attributes.ts';
import { conditionally } from '../shared/conditional.ts';
import { deletePartition } from '../shared/deletion.ts';
import { readItem } from '../shared/read-item.ts';
import { commit, failedItems, putNew, type TransactItem } from '../shared/transaction.ts';

/** How long an Idempotency-Key stands for the message that it has sent, as its record does. */
const keyMs = 86_400_000;

/** Receipts come for three days (AWS "Messaging Events"). */
const receiptsMs = 5 * 86_400_000;

/** Items that one request for a page reads, and pages of them at most: a filter may leave out most. */
const itemsPerRead = 200;
const maxReads = 10;

const Expiring = v.object({ expiresAt: v.number() });
const Sent = v.object({ messageId: v.string(), fingerprint: v.string(), expiresAt: v.number() });
const Named = v.object({ accountId: v.number(), messageId: v.string(), expiresAt: v.number() });
const Keyed = v.object({ sk: v.string() });

export interface MessageTables {
  readonly messages: string;
  /** Called only where a message is charged or given back. */
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
    // Of several that are used up, the one that lasts longest: what it names helps.
    const used = limits.filter((_, index) => failed.includes(index + 1));
    const [by] = used.toSorted((one, other) => other.endsAt - one.endsAt);
    if (!by) throw new Error('a message was refused by no rule that is known');
    return { is: 'limited', by, isShare: await isShareUsed(by) };
  }

  /** Whether an account has had its share of what all may send. */
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
      const back = limits.filter(({ share }) => share !== undefined).map((limit) => uncounted(table, limit));
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
 * Keys of the `messages` table: in the partition of an account its messages, the Idempotency-Keys that have sent one and its count of the day; the
 * counts of numbers and ranges, and the names that carriers have for messages, each in a partition of their own.
 */
const accountPartition = (accountId: number): string => `account#${accountId}`;
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

/** Of a shared count, what one account has of it. */
const ownCount = (accountId: number): string => `of#${accountId}`;

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
function messageRow({ accountId, id, ...message }: Message) {
  const expiresAt = message.createdAt + messageRetentionMs;
  return { ...messageKey({ accountId, id }), ...message, expiresAt, ttl: seconds(expiresAt) };
}

/** Counts a message, unless a limit is reached. What accounts share has a count of each of them too: no more than the limit has room for. */
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

/** Takes back that a message was counted. Of a window that is over, nobody notices. */
function uncounted(TableName: string, limit: CountedLimit): TransactItem {
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

/** Deletes the messages of an account. */
export const purgeMessages = (
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> => deletePartition(client, table, accountPartition(accountId), signal);
