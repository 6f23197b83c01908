import {
  type DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import type { AgentRef } from '#domain/agents/agent.ts';
import type { Conversation, ConversationStore, Message } from '#domain/agents/conversation.ts';
import { conditionally } from '../shared/conditional.ts';
import { type Items, itemsBy, sdkSend } from '../shared/items.ts';
import { newestFirst } from '../shared/pages.ts';
import { readItem, readItems, readable } from '../shared/read-items.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import {
  agentKey,
  agentPartition,
  conversationPartition,
  conversationPrefix,
  messagePrefix,
  placeText,
  stateKey,
  entryRow,
  StoredEntry,
  stateAttributes,
  StoredConversation,
  stateRow,
  matchesRef,
  StoredMessage,
  messageRow,
} from './agent-items.ts';
import { purger } from './purge.ts';

/** Messages of a turn's first and further reads. Sizes double, so 10,000 messages need at most 25 reads. */
const messagesPerRead = { first: 25, max: 500 } as const;

const Sorted = v.object({ sk: v.string() });

export function conversationStore(
  client: DynamoDBDocumentClient,
  table: string,
  items: Items = itemsBy(sdkSend(client)),
): ConversationStore {
  const purge = purger(client, table);
  const count = conversationCount(client, table);
  const put = (Item: Record<string, unknown>) => ({ Put: { TableName: table, Item } });

  return {
    async create(conversation) {
      const begin = () =>
        commit(client, [
          count.increment(conversation),
          putNew(table, stateRow(conversation)),
          put(entryRow(conversation)),
        ]);
      return (await begin()) || ((await count.recount(conversation)) && (await begin()));
    },
    async page({ accountId, id: agentId }, { limit, cursor }, now) {
      const list = { pk: agentPartition(agentId), prefix: conversationPrefix, cursor, limit, schema: StoredEntry, now };
      const { items: entries, next } = await newestFirst(client, table, list);
      const states = await readItems(
        client,
        table,
        entries.map(({ sk }) => stateKey(sk)),
        stateAttributes,
      );
      const found = new Map(readable(StoredConversation, states).map((state) => [state.id, state]));
      const shown = entries.flatMap(({ sk }) => found.get(sk) ?? []);
      return { items: shown.filter((one) => matchesRef({ accountId, agentId, id: one.id }, one, now)), next };
    },
    async find(ref, now) {
      const item = await readItem(client, table, stateKey(ref.id));
      const stored = item && v.parse(StoredConversation, item);
      return stored && matchesRef(ref, stored, now) ? stored : undefined;
    },
    async messages({ id }, { limit, before }, now) {
      const cursor = before === undefined ? undefined : placeText(before);
      const list = { pk: conversationPartition(id), prefix: messagePrefix, cursor, limit, schema: StoredMessage, now };
      const { items: messages, next } = await newestFirst(client, table, list);
      return { items: messages, next: next === null ? null : `msg_${next}` };
    },
    async recent(ref, now, missing) {
      const query: QueryCommandInput = {
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': conversationPartition(ref.id) },
        ScanIndexForward: false,
        ConsistentRead: true,
      };
      let conversation: Conversation | undefined;
      const recent: Message[] = [];
      let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
      let Limit = 1 + messagesPerRead.first;
      while (Limit > 0) {
        const { Items = [], LastEvaluatedKey } = await items.query({ ...query, Limit, ExclusiveStartKey });
        for (const item of Items) {
          if (v.is(Sorted, item) && item.sk === stateKey(ref.id).sk) conversation = v.parse(StoredConversation, item);
          else recent.push(v.parse(StoredMessage, item));
        }
        if (!conversation || !matchesRef(ref, conversation, now)) return undefined;
        ExclusiveStartKey = LastEvaluatedKey;
        const count = LastEvaluatedKey ? await missing(recent, conversation) : 0;
        Limit = count > 0 ? Math.min(Math.max(count, 2 * Limit), messagesPerRead.max) : 0;
      }
      const countUnexpired = recent.filter(({ expiresAt }) => expiresAt > now);
      return conversation && { conversation, recent: countUnexpired.toReversed() };
    },
    lock({ id, next, lock }, now) {
      return items.update({
        TableName: table,
        Key: stateKey(id),
        UpdateExpression: 'SET #lock = :lock',
        ConditionExpression: [
          '#next = :next',
          '(attribute_not_exists(#lock) OR #lock.#until <= :now OR #lock.#token = :token)',
        ].join(' AND '),
        ExpressionAttributeNames: { '#lock': 'lock', '#next': 'next', '#until': 'until', '#token': 'token' },
        ExpressionAttributeValues: { ':lock': lock, ':next': next, ':now': now, ':token': lock?.token },
      });
    },
    keep({ after: { lock, ...after }, messages }) {
      const { ttl, updatedAt, expiresAt, next, calledFunction, summary } = stateRow(after);
      const set = { ttl, updatedAt, expiresAt, next, calledFunction, summary };
      const given = Object.entries(set).filter(([, value]) => value !== undefined);
      const removed = Object.entries(set).filter(([, value]) => value === undefined);
      const Update = {
        TableName: table,
        Key: stateKey(after.id),
        UpdateExpression: [
          `SET ${given.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          `REMOVE #lock${removed.map(([name]) => `, #${name}`).join('')}`,
        ].join(' '),
        ConditionExpression: '#lock.#token = :token',
        ExpressionAttributeNames: {
          ...Object.fromEntries(Object.keys(set).map((name) => [`#${name}`, name])),
          '#lock': 'lock',
          '#token': 'token',
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
          ':token': lock?.token,
        },
      };
      return items.commit([
        { Update },
        ...messages.map((message) => put(messageRow(after.id, message))),
        put(entryRow(after)),
      ]);
    },
    async unlock({ id, lock }) {
      await items.update({
        TableName: table,
        Key: stateKey(id),
        UpdateExpression: 'REMOVE #lock',
        ConditionExpression: '#lock.#token = :token',
        ExpressionAttributeNames: { '#lock': 'lock', '#token': 'token' },
        ExpressionAttributeValues: { ':token': lock?.token },
      });
    },
    async remove(ref, now) {
      const note = { kind: 'conversation', ...ref, at: now } as const;
      const { pk, sk } = entryRow({ ...ref, createdAt: now, updatedAt: now, expiresAt: now, next: 0 });
      const isDone = await commit(client, [
        { Delete: { TableName: table, Key: stateKey(ref.id), ConditionExpression: 'attribute_exists(pk)' } },
        { Delete: { TableName: table, Key: { pk, sk } } },
        count.decrement({ accountId: ref.accountId, id: ref.agentId }),
        purge.purgeItem(note),
      ]);
      if (isDone) await purge.purgeNow(note);
      return isDone;
    },
  };
}

const Counted = v.object({ conversations: v.number() });

/** Counts conversations in the agent's item, which must exist. Expired ones are counted until the limit is reached. */
function conversationCount(client: DynamoDBDocumentClient, table: string) {
  const counted = (agent: AgentRef, condition: string, values: object): TransactItem => ({
    Update: {
      TableName: table,
      Key: agentKey(agent),
      UpdateExpression: 'ADD conversations :by',
      ConditionExpression: `attribute_exists(pk)${condition}`,
      ExpressionAttributeValues: { ...values },
    },
  });

  async function alive(agentId: string, now: number): Promise<number> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      FilterExpression: 'expiresAt > :now',
      ExpressionAttributeValues: { ':pk': agentPartition(agentId), ':prefix': conversationPrefix, ':now': now },
      ConsistentRead: true,
      Select: 'COUNT' as const,
    };
    let count = 0;
    for await (const { Count = 0 } of paginateQuery({ client }, query)) count += Count;
    return count;
  }

  return {
    increment: ({ accountId, agentId: id }: Conversation): TransactItem =>
      counted({ accountId, id }, ' AND (attribute_not_exists(conversations) OR conversations < :max)', {
        ':by': 1,
        ':max': limits.agentConversations,
      }),
    decrement: (agent: AgentRef): TransactItem => counted(agent, '', { ':by': -1 }),
    /** Recounts without the expired conversations. Returns whether the count is below the limit. */
    async recount({ accountId, agentId: id, createdAt: now }: Conversation): Promise<boolean> {
      const item = await readItem(client, table, agentKey({ accountId, id }));
      if (!v.is(Counted, item) || item.conversations < limits.agentConversations) return item !== undefined;
      const count = await alive(id, now);
      if (count >= limits.agentConversations) return false;
      const update = new UpdateCommand({
        TableName: table,
        Key: agentKey({ accountId, id }),
        UpdateExpression: 'SET conversations = :count',
        ConditionExpression: 'conversations = :seen',
        ExpressionAttributeValues: { ':count': count, ':seen': item.conversations },
      });
      await conditionally(client.send(update));
      return true;
    },
  };
}
