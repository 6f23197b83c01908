import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { agentService } from '#domain/agents/agent.ts';
import { documentList, type DocumentRef, indexingEnds } from '#domain/agents/document.ts';
import { documentAdding, documentIndexing } from '#domain/agents/indexing.ts';
import { renewals } from '#domain/billing/grants.ts';
import { metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { agentRow } from '#repositories/agents/agent-items.ts';
import { agentStore } from '#repositories/agents/agents.ts';
import { documentStore } from '#repositories/agents/documents.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { type Fault, faultyClient } from '#test/database/faulty-client.ts';
import { credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

export const table = tables.agents.name;
const dimensions = 1536;
const hourMs = 3_600_000;
/** Microcredits per token. */
export const tokenCost = 100;

export type ModelFault = 'good' | 'fails' | 'uneven' | 'short' | 'long' | 'slow';

function lengthOf(kind: ModelFault, index: number): number {
  if (kind === 'short') return dimensions - 1;
  if (kind === 'long') return 5000;
  return kind === 'uneven' && index > 0 ? 3 : dimensions;
}

/** A text of `chunks` chunks: no two of its sentences fit into one chunk. */
const textOf = (chunks: number): string => `${'Word '.repeat(110)}end. `.repeat(chunks);

export interface Faults {
  readonly adding?: readonly Fault[];
  readonly indexing?: readonly Fault[];
  /** Results of the batches, in order. */
  readonly model?: readonly ModelFault[];
  readonly queue?: 'works' | 'fails';
}

/** An account with an agent, whose documents are reserved at `price`. Its storage requests fail in turn, each including all retries. */
export async function indexingOf(
  database: Awaited<ReturnType<typeof startTestDatabase>>,
  { adding = [], indexing = [], model = [], queue: kind = 'works' }: Faults,
  price?: string,
) {
  const { accountId } = await putMeter(database.client, meterWith(credits(100)));
  const about = { name: 'Guide', model: 'svc-1', instructions: '', functions: [], temperature: 1, maxTokens: null };
  const more = { truncation: 'drop' as const, retentionDays: 30, version: 1, chunks: 0, index: 0 };
  const id = `agt_${accountId}`;
  const row = agentRow({ accountId, id, ...about, ...more, createdAt: 0, updatedAt: 0 });
  await database.client.send(new PutCommand({ TableName: table, Item: row }));

  let now = start;
  const clock = { now: () => now };
  const batches = [...model];
  const messages: DocumentRef[] = [];
  const queue = async () => ({
    async send(message: unknown) {
      if (kind === 'fails') throw new Error('the queue is broken');
      messages.push(message as DocumentRef);
    },
  });

  function partsOf(client = database.client) {
    const { random } = ambient;
    const agents = agentService({
      agents: agentStore(client, table),
      enforceChangeLimit: async () => undefined,
      clock,
      random,
    });
    const documents = documentStore(client, table, () => tables.meters.name);
    const meters = metering(meterStore(client, tables.meters.name, random), renewals(planOfRank));
    const ends = indexingEnds({ documents, metering: meters, clock });
    return { agents, documents, meters, ends, vectors: dynamoVectorIndex(client, table), queue, clock, random };
  }

  function faulty(faults: readonly Fault[]) {
    const ordinals = new Map<string, number>();
    const fault = (requestId: string): Fault => {
      if (!ordinals.has(requestId)) ordinals.set(requestId, ordinals.size);
      return faults[ordinals.get(requestId) ?? 0] ?? 'none';
    };
    return partsOf(faultyClient(database.url, fault).client);
  }

  const inference = {
    async embed({ request: { input } }: { request: { input: readonly string[] } }) {
      const batch = batches.shift() ?? 'good';
      if (batch === 'fails') throw new ServiceError('MODEL_ERROR', 'broken');
      if (batch === 'slow') now += 300_000;
      const vector = (index: number) => Array.from({ length: lengthOf(batch, index) }, (_, at) => at + index);
      const data = input.map((_, index) => ({ object: 'embedding' as const, index, embedding: vector(index) }));
      const usage = { prompt_tokens: data.length, total_tokens: data.length };
      return {
        body: { object: 'list' as const, model: 'svc-embed', data, usage },
        cost: data.length * tokenCost,
        usage: { ...usage, completion_tokens: 0 },
      };
    },
  };
  const sound = partsOf();
  const list = documentList({ ...sound, enforceChangeLimit: async () => undefined });
  const agent = () => sound.agents.existing(accountId, id);

  return {
    id,
    agent,
    messages,
    /** Like the middlewares: admits the call, adds the document, and settles at 0 if that fails. */
    async add(chunks: number) {
      const failures: unknown[] = [];
      const add = documentAdding({
        ...faulty(adding),
        tokenizer: bpeTokenizer,
        onError: (error) => failures.push(error),
      });
      const order = add.order({ name: 'Handbook', text: textOf(chunks) });
      const about = { keyId: 'key-1', service: 'embeddings', model: order.model, minPlanRank: 1 } as const;
      const call = { accountId, requestId: crypto.randomUUID(), amount: order.amount, now, deadline: now / 1000 + 60 };
      const openHold = await sound.meters.admit({ ...about, ...call, price });
      try {
        return await add.add(accountId, id, order, openHold);
      } catch (error) {
        await openHold.settle(0, now);
        throw error;
      }
    },
    /** Handles messages like the queue: retries a failed message, at most three times. */
    async work(): Promise<void> {
      const failures: unknown[] = [];
      const onFailure = (error: unknown) => void failures.push(error);
      const index = documentIndexing({ ...faulty(indexing), inference, runMs: 230_000, onFailure });
      for (let message = messages.shift(); message; message = messages.shift())
        for (let tries = 0; tries < 3; tries++) {
          const isDone = await index(message).then(
            () => true,
            () => false,
          );
          if (isDone) break;
        }
    },
    /**
     * Runs the job once and crashes the process at its request `at`, before or after that request is executed. Returns
     * whether the run reached it.
     */
    async crash(at: number, when: 'before' | 'after'): Promise<boolean> {
      const [message] = messages;
      const first: Fault = when === 'before' ? 'throttle' : 'lost reply';
      const rest = Array.from({ length: 100 }, (): Fault => 'throttle');
      const before = Array.from({ length: at }, (): Fault => 'none');
      const index = documentIndexing({
        ...faulty([...before, first, ...rest]),
        inference,
        runMs: 230_000,
        onFailure: () => undefined,
      });
      if (!message) throw new Error('there is no message');
      return index(message).then(
        () => false,
        () => true,
      );
    },
    async sweepLater() {
      now += 2 * hourMs;
      await sound.ends.sweep();
    },
    async search() {
      const query = {
        text: 'Which passage?',
        model: 'svc-embed',
        vector: Array.from({ length: dimensions }, (_, at) => at + 1),
      };
      return dynamoVectorIndex(database.client, table).search(await agent(), query, 4);
    },
    list: async () => (await list.list(accountId, id, { limit: 10 })).items,
    remove: (documentId: string) => list.remove(accountId, { id, documentId }),
    async spent() {
      const { spendable, holds } = await sound.meters.current(accountId, now);
      expect(holds.size).toBe(0);
      return credits(100) - spendable;
    },
  };
}
