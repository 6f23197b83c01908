import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/tables.ts';
import { agentService } from '#domain/agents/agent-service.ts';
import type { Agent } from '#domain/agents/agent.ts';
import type { Chunk } from '#domain/agents/documents/chunks.ts';
import { documentIndexing, documentList } from '#domain/agents/documents/document-service.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { agentPartition, agentRow, documentPrefix, indexPartition } from '#repositories/agents/agent-items.ts';
import { agentStore } from '#repositories/agents/agents.ts';
import { documentStore } from '#repositories/agents/documents.ts';
import { purger } from '#repositories/agents/purge.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { ambient } from '#runtime/shared/ambient.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { type Fault, faultyClient } from '#test/database/faulty-client.ts';
import { atLength, patience } from '#test/many.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

const table = tables.agents.name;
const functionMs = 1000;
let accounts = 0;

/** A store whose requests suffer these in turn, each whole; and what uses it. `model` is what each batch meets. */
async function indexingOf(faults: readonly Fault[], model: readonly ModelFault[] = []) {
  accounts += 1;
  const about = { name: 'Guide', model: 'svc-1', instructions: '', functions: [], temperature: 1, maxTokens: null };
  const more = { truncation: 'drop' as const, retentionDays: 30, version: 1, chunks: 0, index: 0 };
  const times = { createdAt: 0, updatedAt: 0 };
  const ref = { accountId: accounts, id: `agt_${accounts}` };
  await database.client.send(
    new PutCommand({ TableName: table, Item: agentRow({ ...ref, ...about, ...more, ...times }) }),
  );

  const ordinals = new Map<string, number>();
  const fault = (requestId: string): Fault => {
    if (!ordinals.has(requestId)) ordinals.set(requestId, ordinals.size);
    return faults[ordinals.get(requestId) ?? 0] ?? 'none';
  };
  let now = 1_800_000_000_000;
  const clock = { now: () => now };
  const batches = [...model];
  let embedded = 0;

  function parts(client = database.client) {
    const demandChange = async () => undefined;
    const agents = agentService({ agents: agentStore(client, table), demandChange, clock, random: ambient.random });
    const documents = documentStore(client, table);
    const vectors = dynamoVectorIndex(client, table);
    return { agents, documents, vectors, demandChange, clock, random: ambient.random };
  }
  const inference = {
    orderEmbeddings: () => Promise.reject(new Error('it is ordered already')),
    async embed({ input: { input } }: { input: { input: string | readonly string[] } }) {
      const kind = batches.shift() ?? 'good';
      if (kind === 'fails') throw new ServiceError('MODEL_ERROR', 'broken');
      const vector = (index: number) => Array.from({ length: lengthOf(kind, index) }, (_, at) => at + index);
      const data = [input]
        .flat()
        .map((_, index) => ({ object: 'embedding' as const, index, embedding: vector(index) }));
      embedded += data.length;
      const usage = { prompt_tokens: data.length, total_tokens: data.length };
      return { body: { object: 'list' as const, model: 'svc-embed', data, usage }, cost: data.length };
    },
  };
  const { client } = faultyClient(database.url, fault);
  const faulty = documentIndexing({ ...parts(client), inference, patience: { indexingMs: 900, functionMs } });
  const sound = parts();

  return {
    id: ref.id,
    add: (chunks: readonly Chunk[]) =>
      faulty.add(ref.accountId, ref.id, {
        document: { name: 'Handbook', text: chunks.map(({ text }) => text).join(' ') },
        chunks,
        model: 'svc-embed',
        amount: 0,
        request: { input: [] },
        input: { model: 'svc-embed', input: [], encoding_format: 'float' },
      }),
    agent: (): Promise<Agent> => sound.agents.existing(ref.accountId, ref.id),
    search: async () =>
      dynamoVectorIndex(database.client, table).search(
        await sound.agents.existing(ref.accountId, ref.id),
        { text: 'Which passage?', vector: Array.from({ length: dimensions }, (_, at) => at + 1) },
        4,
      ),
    list: async () => (await documentList(sound).list(ref.accountId, ref.id, { limit: 10 })).items,
    remove: (documentId: string) => documentList(sound).remove(ref.accountId, { id: ref.id, documentId }),
    /** Its function has ended. */
    later() {
      now += functionMs + 1;
    },
    embedded: () => embedded,
  };
}

type ModelFault = 'good' | 'fails' | 'uneven' | 'short' | 'long';

const dimensions = 1536;

function lengthOf(kind: ModelFault, index: number): number {
  if (kind === 'short') return dimensions - 1;
  if (kind === 'long') return 5000;
  return kind === 'uneven' && index > 0 ? 3 : dimensions;
}
type Indexing = Awaited<ReturnType<typeof indexingOf>>;

const chunksOf = (count: number): Chunk[] =>
  Array.from({ length: count }, (_, at) => ({ start: at * 10, end: at * 10 + 9, text: `Passage ${at}.` }));

/** Under a prefix of its sort key: DynamoDB takes no empty one. */
async function keysIn(pk: string, ...prefixes: string[]): Promise<string[]> {
  const found = await Promise.all(
    prefixes.map((prefix) =>
      database.client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
          ProjectionExpression: 'sk',
        }),
      ),
    ),
  );
  return found.flatMap(({ Items = [] }) => Items.map(({ sk }) => String(sk)));
}

/** That of a document nothing is left once what was noted is purged. */
async function expectNothing(indexing: Indexing): Promise<void> {
  await purger(database.client, table).rest();
  expect([await indexing.list(), await indexing.search()]).toEqual([[], []]);
  expect(await keysIn(indexPartition(indexing.id), 'vectors#', 'texts#')).toEqual([]);
  expect(await keysIn(agentPartition(indexing.id), documentPrefix)).toEqual([]);
  expect((await indexing.agent()).chunks).toBe(0);
}

const fault = fc.constantFrom<Fault>('none', 'none', 'none', 'throttle', 'lost reply');
const model = fc.constantFrom<ModelFault>('good', 'good', 'good', 'fails', 'uneven');

describe('a document whose store fails at any step', () => {
  it(
    'is whole and found, or is nowhere; what could not be taken back is shown as failed, found by no search, and is deleted whole',
    {
      timeout: patience,
    },
    async () => {
      const seen = new Set<string>();
      const property = fc.asyncProperty(
        fc.integer({ min: 1, max: 250 }),
        fc.array(fault, { maxLength: 14 }),
        fc.array(model, { maxLength: 3 }),
        async (count, faults, batches) => {
          const indexing = await indexingOf(faults, batches);
          const added = await indexing.add(chunksOf(count)).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Error);
          });
          indexing.later();
          const [document] = await indexing.list();
          seen.add(`${added ? 'added' : 'refused'}, ${document?.status ?? 'nothing'}`);
          if (added) {
            expect(added).toMatchObject({
              cost: count,
              body: { status: 'ready', chunks: count, indexedChunks: count },
            });
            expect(document).toMatchObject({ status: 'ready' });
          }
          if (document?.status === 'ready') {
            expect(document.indexedChunks).toBe(count);
            expect(await indexing.search()).toHaveLength(Math.min(4, count));
            expect((await indexing.agent()).chunks).toBe(count);
          } else expect(await indexing.search()).toEqual([]);
          if (document) await indexing.remove(document.id);
          await expectNothing(indexing);
        },
      );
      await fc.assert(property, { numRuns: atLength(60, 1000) });
      expect([...seen]).toEqual(expect.arrayContaining(['added, ready', 'refused, nothing']));
    },
  );

  it.each<[string, readonly Fault[], readonly ModelFault[], string]>([
    ['the model of its second batch', [], ['good', 'fails'], 'broken'],
    ['vectors of different lengths', [], ['uneven'], 'embeddings of the wrong length'],
    ['vectors of another length than the catalogue has', [], ['short'], 'embeddings of the wrong length'],
    ['vectors that are too long to be stored', [], ['long'], 'embeddings of the wrong length'],
    ['the write of its first batch', ['none', 'throttle'], [], 'ThrottlingException'],
    ['the write of its second batch', ['none', 'none', 'throttle'], [], 'ThrottlingException'],
    ['the write that makes it ready', ['none', 'none', 'none', 'throttle'], [], 'ThrottlingException'],
  ])('costs nothing, and leaves nothing: %s', async (_, faults, batches, reason) => {
    const indexing = await indexingOf(faults, batches);
    await expect(indexing.add(chunksOf(150))).rejects.toThrow(reason);
    await expectNothing(indexing);
  });

  it('is shown as failed where it cannot be taken back either, is not searched, and keeps its room until it is deleted', async () => {
    const indexing = await indexingOf(['none', 'none', 'throttle', 'throttle', 'throttle', 'throttle']);
    await expect(indexing.add(chunksOf(150))).rejects.toThrow('ThrottlingException');
    expect(await indexing.list()).toMatchObject([{ status: 'indexing', chunks: 150, indexedChunks: 96 }]);
    indexing.later();
    const [document] = await indexing.list();
    expect([document?.status, await indexing.search(), (await indexing.agent()).chunks]).toEqual(['failed', [], 150]);
    await indexing.remove(document?.id ?? '');
    await expectNothing(indexing);
  });
});
