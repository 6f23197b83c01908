import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { metering } from '#domain/meter/metering.ts';
import { archivedLedger } from '#repositories/billing/archive.ts';
import { auditReads } from '#repositories/billing/audit-reads.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { patience } from '#test/many.ts';
import { noFiles } from '#test/meter/ledger-account.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const database = useTestDatabase();

interface Read {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
}

/**
 * Simulates a lagging replica: a read that is not consistent returns its previous result, and so does every index read.
 * `reads` are all reads of tables, not of indexes.
 */
function staleClient() {
  const client = new DynamoDBClient({ endpoint: database.url, maxAttempts: 1 });
  const reads: Read[] = [];
  const before = new Map<string, unknown>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const input = args.input as Read;
        const result = await next(args);
        if (!/^(GetItem|Query|Scan|BatchGetItem)Command$/.test(commandName)) return result;
        if (!input.IndexName) reads.push(input);
        if (input.ConsistentRead) return result;
        const { ExpressionAttributeValues: values, ...what } = input as Record<string, any>;
        const name = JSON.stringify([what, values?.[':shard']]);
        const stale = before.get(name) ?? result.output;
        before.set(name, structuredClone(result.output));
        return { ...result, output: stale as typeof result.output };
      },
    { step: 'initialize', priority: 'low' },
  );
  return { client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), reads };
}

/** A year of an account: plans, calls, crashed calls, sweeps and an audit. Returns the final state. */
async function year(client: DynamoDBDocumentClient) {
  const { accountId } = await putMeter(
    database.client,
    meterWith(credits(50), { maxConcurrentCalls: 20, ceiling: 1000 }),
  );
  const clock = { seconds: start / 1000, now: () => clock.seconds * 1000 };
  const own = { shards: [accountId % meterShards] };
  let made = 0;
  const random = { bytes: (size: number) => Buffer.alloc(size).fill(`id-${(made += 1)}`) };
  const meters = metering(meterStore(client, tables.meters.name, ambient.random), renewals(planOfRank));
  const subscriptions = subscriptionService(
    meters,
    { payments: async () => undefined, enforceChangeLimit: async () => undefined },
    planOfRank,
    clock,
    random,
  );
  const balances: number[] = [];
  for (let month = 0; month < 12; month++) {
    if (month === 1) await subscriptions.create(accountId, 'dev_pass');
    if (month === 4) await subscriptions.upgrade(accountId, 'smm_pass');
    if (month === 9) await subscriptions.cancel(accountId, (await subscriptions.current(accountId))!.id);
    for (const ends of [true, false, true]) {
      const attempt = { ...attemptOn(meterWith(0), `call-${(made += 1)}`, { now: clock.now() }), accountId };
      const openHold = await meters.admit(attempt).catch(() => undefined);
      if (ends) await openHold?.settle(credits(1), clock.now());
    }
    clock.seconds += 1000;
    await meters.sweep(clock.now(), own);
    clock.seconds += 30 * 86_400;
    balances.push((await meters.current(accountId, clock.now())).spendable);
  }
  // A lagging index lists accounts one sweep later.
  for (let round = 0; round < 3; round++) await meters.sweep(clock.now(), own);
  const { accountId: _own, marks: _marks, subscription: _ids, ...meter } = (await meters.find(accountId))!;
  const archived = archivedLedger(client, tables.ledger.name, noFiles);
  await Array.fromAsync(auditReads(client, tables.meters.name, tables.ledger.name, archived).meters());
  return { balances, meter };
}

describe('lagging replicas of the meters', () => {
  it("return old values to eventually consistent reads (a check of the next test's setup)", async () => {
    const { client } = staleClient();
    const { accountId } = await putMeter(database.client, meterWith(credits(50)));
    const read = async (ConsistentRead: boolean) => {
      const { Item } = await client.send(
        new GetCommand({ TableName: tables.meters.name, Key: { a: accountId }, ConsistentRead }),
      );
      return Item?.['c'];
    };
    expect([await read(false), await read(true)]).toEqual([credits(50), credits(50)]);
    await meterStore(database.client, tables.meters.name, ambient.random).admit({
      ...attemptOn(meterWith(0), 'call'),
      accountId,
    });
    expect([await read(false), await read(true)]).toEqual([credits(50), credits(49)]);
  });

  it('change no outcome, because every read of a meter is consistent', { timeout: patience }, async () => {
    const { client, reads } = staleClient();
    const [stale, fresh] = [await year(client), await year(database.client)];
    expect(reads.length).toBeGreaterThan(50);
    expect(reads.filter(({ ConsistentRead }) => ConsistentRead !== true)).toEqual([]);
    expect(new Set(stale.balances).size).toBeGreaterThan(5);
    expect(stale).toEqual(fresh);
  });
});
