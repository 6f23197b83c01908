import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Message } from '#domain/messages/message.ts';
import type { CountedLimit, Creation, MessageStore } from '#domain/messages/ports.ts';
import { seconds } from '../accounts/account-items.ts';
import { meterReplacement } from '../meter/meters.ts';
import { readItem } from '../shared/read-item.ts';
import { readable } from '../shared/readable.ts';
import { cancellationReasons, commit, conditionFailed, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  accountPartition,
  countKey,
  messageKey,
  messagePrefix,
  messageRow,
  sentKey,
  StoredMessage,
} from './message-items.ts';

/** How long an Idempotency-Key stands for the message that it has sent, as its record does. */
const keyMs = 86_400_000;

/** Items that one request for a page reads, and pages of them at most: a filter may leave out most. */
const itemsPerRead = 200;
const maxReads = 10;

const Expiring = v.object({ expiresAt: v.number() });
const Sent = v.object({ messageId: v.string(), expiresAt: v.number() });
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

  const counted = (limit: CountedLimit): TransactItem => ({
    Update: {
      TableName: table,
      Key: countKey(limit),
      UpdateExpression: 'SET #ttl = :ttl ADD #count :one',
      ConditionExpression: 'attribute_not_exists(#count) OR #count < :max',
      ExpressionAttributeNames: { '#ttl': 'ttl', '#count': 'count' },
      ExpressionAttributeValues: { ':one': 1, ':max': limit.max, ':ttl': seconds(limit.endsAt) },
    },
  });

  const sentWith = ({ accountId, id, createdAt }: Message, key: string): TransactItem => ({
    Put: {
      TableName: table,
      Item: {
        ...sentKey(accountId, key),
        messageId: id,
        expiresAt: createdAt + keyMs,
        ttl: seconds(createdAt + keyMs),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': createdAt },
    },
  });

  /** Which of the items failed their conditions; empty where all was written. */
  async function failedOf(items: readonly TransactItem[]): Promise<readonly number[]> {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: [...items] }));
      return [];
    } catch (error) {
      const failed = cancellationReasons(error).flatMap(({ Code }, index) => (Code === conditionFailed ? [index] : []));
      if (failed.length === 0) throw error;
      return failed;
    }
  }

  async function create(message: Message, limits: readonly CountedLimit[], key: string | undefined): Promise<Creation> {
    const writes = [putNew(table, messageRow(message)), ...limits.map(counted)];
    const failed = await failedOf(key === undefined ? writes : [...writes, sentWith(message, key)]);
    if (failed.length === 0) return { is: 'created' };
    if (key !== undefined && failed.includes(writes.length)) {
      const sent = await readItem(client, table, sentKey(message.accountId, key));
      if (v.is(Sent, sent) && sent.expiresAt > message.createdAt) return { is: 'repeat', id: sent.messageId };
    }
    // Of several that are used up, the one that lasts longest: what it names helps.
    const used = limits.filter((_, index) => failed.includes(index + 1));
    const [by] = used.toSorted((one, other) => other.endsAt - one.endsAt);
    if (!by) throw new Error('a message was refused by no rule that is known');
    return { is: 'limited', by };
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
    page,
    create,
    change: (after) => commit(client, [replaced(after)]),
    release(after, key) {
      const over = { ...sentKey(after.accountId, key ?? ''), expiresAt: 0, ttl: seconds(after.updatedAt) };
      const freed = key === undefined ? [] : [{ Put: { TableName: table, Item: over } }];
      return commit(client, [replaced(after), ...freed]);
    },
    async charge(after, amount) {
      const held: TransactItem = {
        Update: {
          TableName: tables.meters(),
          Key: { a: after.accountId },
          UpdateExpression: 'SET h.#request[5] = :cost REMOVE #last',
          ConditionExpression: 'attribute_exists(h.#request)',
          ExpressionAttributeNames: { '#request': after.requestId, '#last': 'last' },
          ExpressionAttributeValues: { ':cost': amount },
        },
      };
      const failed = await failedOf([replaced(after), held]);
      if (failed.length === 0) return 'done';
      return failed.includes(0) ? 'changed' : 'no hold';
    },
    async refund(after, meters) {
      const { ReturnValuesOnConditionCheckFailure: _, ...replacement } = meterReplacement(
        meters.before,
        meters.after,
        meters.entries,
      );
      const failed = await failedOf([replaced(after), { Update: { TableName: tables.meters(), ...replacement } }]);
      if (failed.length === 0) return 'done';
      return failed.includes(0) ? 'changed' : 'meter changed';
    },
  };
}
