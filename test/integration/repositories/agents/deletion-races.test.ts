import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { Agent } from '#domain/agents/agent.ts';
import type { Conversation } from '#domain/agents/conversation.ts';
import { conversationPartition, messageRow } from '#repositories/agents/agent-items.ts';
import { agentStore } from '#repositories/agents/agents.ts';
import { conversationStore } from '#repositories/agents/conversations.ts';
import { documentRow, documentStore } from '#repositories/agents/documents.ts';
import { purger } from '#repositories/agents/purge.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';

const table = tables.agents.name;
const now = 1_800_000_000_000;

const database = useTestDatabase();

/** A client that runs a function before each of its requests and records them. */
function meddled(meddle: () => Promise<unknown>) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
  const requests: any[] = [];
  client.middlewareStack.add((next) => async (args) => {
    await meddle();
    requests.push(args.input);
    return next(args);
  });
  return { client, requests };
}

async function itemsOf(...names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: database.client }, { TableName: table }))
    for (const { pk, sk } of Items) if (names.some((name) => `${pk} ${sk}`.includes(name))) found.push(`${pk} ${sk}`);
  return found;
}

const put = (Item: object) => database.client.send(new PutCommand({ TableName: table, Item: { ...Item } }));
const message = (place: number) => {
  return { place, role: 'user' as const, content: 'Hello', tokens: 5, createdAt: now, expiresAt: now + 1e9 };
};

let made = 0;
function newAgent(): Agent {
  made += 1;
  const texts = { name: 'Guide', model: 'svc-1', instructions: '', truncation: 'drop' as const };
  const numbers = { temperature: 1, maxTokens: null, retentionDays: 30, version: 1, chunks: 0, index: 0 };
  return { accountId: made, id: `agt_${made}x`, ...texts, ...numbers, functions: [], createdAt: now, updatedAt: now };
}
function newConversation({ accountId, id: agentId }: Agent): Conversation {
  made += 1;
  return { accountId, agentId, id: `cnv_${made}x`, createdAt: now, updatedAt: now, expiresAt: now + 1e9, next: 0 };
}

it('a deleted agent leaves nothing, even if documents, turns and conversations are added at every step of its deletion', async () => {
  const agent = newAgent();
  const conversations = conversationStore(database.client, table);
  const documents = documentStore(database.client, table, () => tables.meters.name);
  const vectors = dynamoVectorIndex(database.client, table);
  expect(await agentStore(database.client, table).create(agent)).toBe(true);
  const ref = { accountId: agent.accountId, agentId: agent.id, id: 'doc_1' };
  const sizes = { bytes: 1, chunks: 900, indexedChunks: 0, tokens: 0, cost: 0, createdAt: now };
  const document = { ...ref, name: 'Handbook', status: 'indexing' as const, ...sizes };
  await put(documentRow(document));
  const begun: Conversation[] = [];

  let indexed = 0;
  async function addBatch() {
    const chunks = [{ start: 0, end: 5, text: 'Hello' }];
    await documents.addTexts(document, chunks);
    if (await vectors.add(document, { model: 'svc-embed', from: indexed, chunks, vectors: [[1, 2]], tokens: 1 }))
      indexed += 1;
  }
  async function addTurn() {
    const found = begun[0] && (await conversations.find(begun[0], now));
    if (!found) return;
    const after = { ...found, lock: { token: String(Math.random()), until: now } };
    if (await conversations.lock(after, now))
      await conversations.keep({ after: { ...after, next: found.next + 1 }, messages: [message(found.next)] });
  }
  async function addConversation() {
    const conversation = newConversation(agent);
    if (await conversations.create(conversation)) begun.push(conversation);
  }
  const meddle = () => Promise.all([addBatch(), addTurn(), addConversation()]);

  for (let round = 0; round < 5; round++) await meddle();
  const { client } = meddled(meddle);
  expect(await agentStore(client, table).remove(agent, now)).toBe(true);
  await meddle();
  await purger(database.client, table).purgePending();
  expect([indexed >= 5, begun.length >= 5]).toEqual([true, true]);
  expect(await itemsOf(agent.id, ...begun.map(({ id }) => id))).toEqual([]);
});

it('deletions take turns, so that a small one does not wait for a large one', async () => {
  const conversations = conversationStore(database.client, table);
  const [long, short] = [newAgent(), newAgent()];
  for (const agent of [long, short]) await agentStore(database.client, table).create(agent);
  const many = times(12, () => newConversation(long));
  for (const one of many) {
    await conversations.create(one);
    await Promise.all(times(100, (place) => put(messageRow(one.id, message(place)))));
  }
  const one = newConversation(short);
  await conversations.create(one);
  const { id: agentId } = long;
  await put({ pk: 'purge', sk: `1#agent#${agentId}`, kind: 'agent', agentId, id: agentId, at: 1 });
  const later = { kind: 'agent' as const, agentId: short.id, id: short.id, at: 2 };
  await put({ pk: 'purge', sk: `2#agent#${short.id}`, ...later });

  const { client, requests } = meddled(async () => undefined);
  expect(await purger(client, table).purgePending()).toBeGreaterThanOrEqual(2);
  const deleted = requests
    .flatMap(({ RequestItems }) => RequestItems?.[table] ?? [])
    .map(({ DeleteRequest }) => String(DeleteRequest.Key.pk));
  const partitions = new Set(many.map(({ id }) => conversationPartition(id)));
  const isOfLong = (pk: string) => partitions.has(pk);
  expect(deleted.indexOf(conversationPartition(one.id))).toBeLessThan(deleted.findLastIndex(isOfLong));
  // Several conversations at the same time.
  expect(new Set(deleted.filter(isOfLong).slice(0, 100)).size).toBeGreaterThan(5);
  expect(await itemsOf(...[...many, one].map(({ id }) => id))).toEqual([]);
});
