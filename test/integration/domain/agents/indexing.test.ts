import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOfModel } from '#domain/meter/pricing.ts';
import { agentPartition, documentPrefix, indexingPartition, indexPartition } from '#repositories/agents/agent-items.ts';
import { purger } from '#repositories/agents/purge.ts';
import { type Faults, indexingOf as indexingIn, type ModelFault, table, tokenCost } from '#test/agents/indexing.ts';
import { useTestDatabase } from '#test/database/database.ts';
import type { Fault } from '#test/database/faulty-client.ts';
import { atLength, patience } from '#test/many.ts';

const database = useTestDatabase();

const indexingOf = (faults: Faults, price?: string) => indexingIn(database, faults, price);
type Indexing = Awaited<ReturnType<typeof indexingOf>>;

/** Stored under a sort key prefix, because DynamoDB accepts no empty prefix. */
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

/** Expects that no text, vector, chunk count or charge of a document remains after its deletion. */
async function expectNothing(indexing: Indexing): Promise<void> {
  await purger(database.client, table).purgePending();
  expect(await indexing.search()).toEqual([]);
  expect(await keysIn(indexPartition(indexing.id), 'vectors#', 'texts#')).toEqual([]);
  expect((await indexing.agent()).chunks).toBe(0);
}

const fault = fc.constantFrom<Fault>('none', 'none', 'none', 'throttle', 'lost reply');
const faults = fc.array(fault, { maxLength: 14 });
const model = fc.constantFrom<ModelFault>('good', 'good', 'good', 'fails', 'uneven', 'slow');

describe('a document', () => {
  it(
    'is ready and charged for its tokens, or stores nothing and costs nothing, after a fault at any step',
    { timeout: patience },
    async () => {
      const seen = new Set<string>();
      const property = fc.asyncProperty(
        fc.integer({ min: 1, max: 250 }),
        fc.record<Required<Faults>>({
          adding: faults,
          indexing: faults,
          model: fc.array(model, { maxLength: 3 }),
          queue: fc.constantFrom<'works' | 'fails'>('works', 'works', 'fails'),
        }),
        async (count, given) => {
          const indexing = await indexingOf(given);
          const added = await indexing.add(count).catch((error: unknown) => {
            expect(error).toBeInstanceOf(Error);
          });
          if (added) expect(added).toMatchObject({ status: 'indexing', chunks: count, indexedChunks: 0 });
          await indexing.work();
          await indexing.sweepLater();
          const [document] = await indexing.list();
          seen.add(`${added ? 'added' : 'refused'}, ${document?.status ?? 'nothing'}`);
          expect(
            (await keysIn(indexingPartition, documentPrefix)).filter((sk) => sk.endsWith(document?.id ?? '?')),
          ).toEqual([]);
          if (document?.status === 'ready') {
            expect(document).toMatchObject({ indexedChunks: count, usage: { total_tokens: count } });
            expect(await indexing.search()).toHaveLength(Math.min(4, count));
            expect([(await indexing.agent()).chunks, await indexing.spent()]).toEqual([count, count * tokenCost]);
          } else {
            expect(document?.status ?? 'failed').toBe('failed');
            expect(await indexing.spent()).toBe(0);
            await expectNothing(indexing);
          }
          if (document) await indexing.remove(document.id);
          await expectNothing(indexing);
          expect(await keysIn(agentPartition(indexing.id), documentPrefix)).toEqual([]);
        },
      );
      const works = { adding: [], indexing: [], model: [], queue: 'works' } as const;
      const examples: [number, Required<Faults>][] = [
        [1, works],
        [1, { ...works, model: ['fails'] }],
        [1, { ...works, adding: ['throttle'] }],
      ];
      await fc.assert(property, { numRuns: atLength(25, 1000), examples });
      expect([...seen]).toEqual(expect.arrayContaining(['added, ready', 'added, failed', 'refused, nothing']));
    },
  );

  it.each<[string, Faults]>([
    ['a model error in the second batch', { model: ['good', 'fails'] }],
    ['vectors of different lengths', { model: ['uneven'] }],
    ['vectors of a length other than in the catalog', { model: ['short'] }],
    ['vectors that are too long to be stored', { model: ['long'] }],
  ])('fails without a charge and keeps only its name: %s', async (_, given) => {
    const indexing = await indexingOf(given);
    await indexing.add(150);
    await indexing.work();
    expect(await indexing.list()).toMatchObject([{ status: 'failed', credits: 0, chunks: 150 }]);
    expect(await indexing.spent()).toBe(0);
    await expectNothing(indexing);
  });

  it('resumes after the last indexed chunk in another run when its time runs out', async () => {
    const indexing = await indexingOf({ model: ['slow', 'slow', 'slow'] });
    await indexing.add(250);
    await indexing.work();
    expect(await indexing.list()).toMatchObject([
      { status: 'ready', indexedChunks: 250, usage: { total_tokens: 250 } },
    ]);
    expect(await indexing.spent()).toBe(250 * tokenCost);
  });

  it('is charged by the price of its reservation', async () => {
    const rate = 300 * 1_000_000;
    const rates = { perRequest: 0, input: rate, cachedInput: rate, cacheWrite: rate, output: 0 };
    const indexing = await indexingOf({}, codeOfModel(rates));
    await indexing.add(150);
    await indexing.work();
    expect(await indexing.list()).toMatchObject([{ status: 'ready', usage: { total_tokens: 150 } }]);
    expect(await indexing.spent()).toBe(150 * 300);
  });

  it('is indexed once if its message is delivered twice', async () => {
    const indexing = await indexingOf({});
    await indexing.add(150);
    const [message] = indexing.messages;
    if (message) indexing.messages.push(message);
    await indexing.work();
    expect(await indexing.list()).toMatchObject([{ status: 'ready', usage: { total_tokens: 150 } }]);
    expect(await indexing.spent()).toBe(150 * tokenCost);
  });

  it.each(['before', 'after'] as const)(
    'is indexed by the next run, or failed by the sweep, if its job crashed %s any request',
    async (when) => {
      let crashes = 0;
      for (const next of ['run', 'sweep'] as const)
        for (let at = 0, crashed = true; crashed; at++) {
          const indexing = await indexingOf({});
          await indexing.add(100);
          crashed = await indexing.crash(at, when);
          if (crashed) crashes += 1;
          if (next === 'run') await indexing.work();
          await indexing.sweepLater();
          const [document] = await indexing.list();
          const isReady = document?.status === 'ready';
          if (next === 'run' || !crashed) expect([at, document?.status]).toEqual([at, 'ready']);
          expect([at, await indexing.spent()]).toEqual([at, isReady ? 100 * tokenCost : 0]);
          if (!isReady) await expectNothing(indexing);
        }
      expect(crashes).toBeGreaterThan(12);
    },
  );
});
