import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { Agent } from '#domain/agents/agent.ts';
import { agentRow } from '#repositories/agents/agent-items.ts';
import { documentRow, documentStore, textsKey, vectorsKey } from '#repositories/agents/documents.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { type Items, itemsBy, sdkSend } from '#repositories/shared/items.ts';
import { useTestDatabase } from '#test/database/database.ts';

const TableName = tables.agents.name;
const dimensions = 8;
const count = 200;
/** Distinct vectors, from the digits of a sine far behind the decimal point. */
const vectorOf = (at: number) =>
  Array.from({ length: dimensions }, (_, index) => (Math.sin(at * dimensions + index + 1) * 43_758.5453) % 1);
const texts = { name: 'Guide', model: 'svc-1', instructions: '', truncation: 'drop' as const, functions: [] };
const numbers = {
  temperature: 1,
  maxTokens: null,
  retentionDays: 30,
  version: 1,
  index: 1,
  createdAt: 0,
  updatedAt: 0,
};
const agent: Agent = { accountId: 1, id: 'agt_1', ...texts, ...numbers, chunks: count };
const document = { accountId: 1, agentId: agent.id, id: 'doc_1' };
const sizes = { bytes: 0, chunks: count, indexedChunks: 0, tokens: 0, cost: 0, createdAt: 0 };

const database = useTestDatabase();
let reads: Items;
beforeAll(async () => {
  reads = itemsBy(sdkSend(database.client));
  await database.client.send(new PutCommand({ TableName, Item: agentRow({ ...agent, chunks: 0 }) }));
  const row = documentRow({ ...document, name: 'Handbook', status: 'indexing', ...sizes });
  await database.client.send(new PutCommand({ TableName, Item: row }));
  const passages = Array.from({ length: count }, (_, at) => ({ start: at, end: at + 1, text: `Passage ${at}.` }));
  const documents = documentStore(database.client, TableName, () => tables.meters.name);
  await documents.addTexts(document, passages);
  for (let from = 0; from < count; from += 96) {
    const chunks = passages.slice(from, from + 96);
    const vectors = chunks.map(({ start }) => vectorOf(start));
    await dynamoVectorIndex(database.client, TableName).add(document, {
      model: 'svc-embed',
      from,
      chunks,
      vectors,
      tokens: 1,
    });
  }
  await database.client.send(new PutCommand({ TableName, Item: { ...row, status: 'ready' } }));
});

/** Stored without the words of its passage. */
const near = (vector: readonly number[]) => ({ text: 'nearest', model: 'svc-embed', vector });
const search = (query: Items['query'], at: number) =>
  dynamoVectorIndex(database.client, TableName, { ...reads, query }).search(agent, near(vectorOf(at)), 3);

describe('a search', () => {
  it('returns the nearest passages first for any page size of its reads', async () => {
    for (const at of [0, 95, 96, 199]) {
      const expected = await search((input) => reads.query(input), at);
      expect(expected[0]).toMatchObject({ documentId: 'doc_1', name: 'Handbook', start: at, text: `Passage ${at}.` });
      expect(expected[0]?.score).toBeGreaterThan(0.98);
      expect(expected.map(({ score }) => score)).toEqual(expected.map(({ score }) => score).toSorted((a, b) => b - a));
      for (const Limit of [1, 2])
        expect(await search((input) => reads.query({ ...input, Limit }), at)).toEqual(expected);
    }
  });

  it.each([0, 1, 2, 3])('fails if read %i fails, and the next search finds everything', async (at) => {
    let read = 0;
    const failing: Items['query'] = async (input) => {
      if (read++ === at) throw new Error('broken');
      return reads.query({ ...input, Limit: 1 });
    };
    const index = dynamoVectorIndex(database.client, TableName, { ...reads, query: failing });
    await expect(index.search(agent, near(vectorOf(199)), 3)).rejects.toThrow('broken');
    expect((await index.search(agent, near(vectorOf(199)), 3))[0]).toMatchObject({ start: 199 });
  });

  it('reads the vectors again only after they have changed', async () => {
    let read = 0;
    const counted: Items['query'] = (input) => {
      read += 1;
      return reads.query(input);
    };
    const index = dynamoVectorIndex(database.client, TableName, { ...reads, query: counted });
    await index.search(agent, near(vectorOf(1)), 3);
    await index.search({ ...agent, version: 9 }, near(vectorOf(2)), 3);
    expect(read).toBe(2);
    await index.search({ ...agent, index: 2 }, near(vectorOf(3)), 3);
    expect(read).toBe(4);
  });

  it('finds nothing for a vector of another length', async () => {
    expect(await dynamoVectorIndex(database.client, TableName).search(agent, near([1, 2, 3]), 3)).toEqual([]);
  });

  it('skips missing items and finds the others', async () => {
    await database.client.send(new DeleteCommand({ TableName, Key: textsKey(agent.id, 'doc_1', 199) }));
    await database.client.send(new DeleteCommand({ TableName, Key: vectorsKey(document, 96) }));
    const found = await dynamoVectorIndex(database.client, TableName).search(agent, near(vectorOf(199)), 50);
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ start }) => (start >= 96 && start < 192) || start >= 192)).toEqual([]);
  });
});
