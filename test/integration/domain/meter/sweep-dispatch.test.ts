import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { maxCounted, type SweepKind } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import type { SweepMessage } from '#domain/meter/sweep.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { atLength, patience, times } from '#test/many.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
beforeEach(async () => {
  database = await startTestDatabase();
});
afterEach(() => database.close());

const now = start + 151_000;
const renewing = atLength(4000, 20_000);
const metersOf = (client: DynamoDBDocumentClient) =>
  metering(meterStore(client, tables.meters.name, ambient.random), renewals(planOfRank));

/** Puts accounts with a finished month, all due at the same time. */
async function putDue(count: number): Promise<void> {
  const rows = times(count, () => newMeterRow(meterWith(credits(1), { due: start / 1000 }), []));
  const batches = times(Math.ceil(count / 25), (index) => rows.slice(index * 25, index * 25 + 25)).values();
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      const puts = batch.map((Item) => ({ PutRequest: { Item } }));
      await database.client.send(new BatchWriteCommand({ RequestItems: { [tables.meters.name]: puts } }));
    }
  };
  await Promise.all(times(8, work));
}

/** Runs one dispatch. Returns the queued messages. */
async function dispatched(meters: ReturnType<typeof metersOf>, at = now) {
  const messages: Record<SweepKind, SweepMessage[]> = { holds: [], renewals: [] };
  const { lateSeconds } = await meters.dispatch(at, async (kind, message) => void messages[kind].push(message));
  return { ...messages, lateSeconds };
}

const shardsOf = (messages: readonly SweepMessage[]) =>
  messages.flatMap(({ shards }) => [...shards]).toSorted((one, other) => one - other);
const allShards = times(meterShards, (shard) => shard);

describe('the dispatcher of the sweep', () => {
  it('queues nothing for accounts that are not due', async () => {
    await putMeter(database.client, meterWith(credits(1)));
    expect(await dispatched(metersOf(database.client))).toEqual({ holds: [], renewals: [], lateSeconds: 0 });
  });

  it('queues all shards with little work in one message, and one message per shard with much work', async () => {
    await putDue(meterShards);
    const few = await dispatched(metersOf(database.client));
    expect([few.renewals.length, shardsOf(few.renewals)]).toEqual([1, allShards]);
    // More than half of a message.
    await putDue(meterShards * (maxCounted / 2));
    const many = await dispatched(metersOf(database.client));
    expect([many.renewals.length, shardsOf(many.renewals)]).toEqual([meterShards, allShards]);
  });

  it('starts at another shard each minute, and queries all shards even if one fails', async () => {
    await putDue(meterShards);
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
    const queried: number[] = [];
    client.middlewareStack.add((next) => async (args) => {
      const { IndexName, ExpressionAttributeValues: values } = args.input as {
        IndexName: string;
        ExpressionAttributeValues: Record<string, number>;
      };
      const shard = values[':shard']!;
      if (IndexName === 'due') queried.push(shard);
      if (IndexName === 'due' && shard === 7) throw new Error('this partition fails');
      return next(args);
    });
    const meters = metersOf(client);
    const sent: SweepMessage[] = [];
    for (const minute of [0, 1]) {
      queried.length = 0;
      const dispatch = meters.dispatch(now + minute * 60_000, async (_, message) => void sent.push(message));
      await expect(dispatch).rejects.toThrow('1 shards could not be queued');
      expect(queried[0]).toBe(Math.floor(now / 60_000 + minute) % meterShards);
      expect(shardsOf(sent.splice(0))).toEqual(allShards.filter((shard) => shard !== 7));
    }
  });

  it(
    `releases the hold of a crashed call immediately despite ${renewing} renewals, which continue in later runs`,
    async () => {
      const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
      const stop = new AbortController();
      let updates = 0;
      client.middlewareStack.add((next, { commandName }) => async (args) => {
        if (commandName === 'UpdateItemCommand' && (updates += 1) === 10) stop.abort();
        return next(args);
      });
      const meters = metersOf(database.client);
      await putDue(renewing);
      const dead = await Promise.all(times(5, () => putMeter(database.client, meterWith(credits(1)))));
      for (const meter of dead) await meters.admit(attemptOn(meter, 'dead'));

      const queued = await dispatched(meters);
      expect(queued.renewals).toHaveLength(meterShards);
      for (const { shards } of queued.holds) await meters.sweep(now, { kinds: ['holds'], shards });
      for (const { accountId } of dead) expect((await meters.find(accountId))?.holds.size).toBe(0);

      const [first] = queued.renewals;
      const renewals = { kinds: ['renewals'], shards: first!.shards } as const;
      const cut = await metersOf(client).sweep(now, { ...renewals, signal: stop.signal });
      const perShard = Math.round(renewing / meterShards);
      expect(cut.accounts).toBeLessThan(perShard / 2);
      const rest = await meters.sweep(now, renewals);
      // The next run settles the accounts that were still being settled when the time ran out.
      expect(cut.accounts + rest.accounts).toBeGreaterThanOrEqual(perShard - 1);
      expect(cut.accounts + rest.accounts).toBeLessThanOrEqual(perShard + 9);
      expect(await meters.sweep(now, renewals)).toEqual({ accounts: 0 });
    },
    patience,
  );

  it('reports the delay of the oldest overdue check of holds', async () => {
    const meters = metersOf(database.client);
    const meter = await putMeter(database.client, meterWith(credits(1)));
    await meters.admit(attemptOn(meter, 'dead'));
    expect((await dispatched(meters, start + 59_000)).lateSeconds).toBe(0);
    expect((await dispatched(meters, start + 200_000)).lateSeconds).toBe(140);
  });
});
