import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { secondsToRenew } from '#bench/cost/capacity.ts';
import { planOfRank } from '#contract/billing/plans.ts';
import { jobs } from '#contract/jobs.ts';
import { meterShards, tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { metering } from '#domain/meter/metering.ts';
import { maxConcurrentAccounts } from '#domain/meter/sweep.ts';
import { newMeterRow } from '#repositories/meter/meter-item.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { atLength, patience, times } from '#test/many.ts';
import { credits, meterWith, start } from '#test/meter/meters.ts';

const database = useTestDatabase();

const count = atLength(1000, 20_000);

it(
  'a million accounts due at the same time take less than 15 minutes, extrapolated from the measured cost of one renewal',
  { timeout: patience },
  async () => {
    const rows = times(count, () => newMeterRow(meterWith(credits(1), { due: start / 1000 }), []));
    for (let from = 0; from < count; from += 25) {
      const puts = rows.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await database.client.send(new BatchWriteCommand({ RequestItems: { [tables.meters.name]: puts } }));
    }
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
    let requests = 0;
    client.middlewareStack.add((next, { commandName }) => (args) => {
      if (commandName !== 'QueryCommand') requests += 1;
      return next(args);
    });
    const meters = metering(meterStore(client, tables.meters.name, ambient.random), renewals(planOfRank));
    const now = start + 1000;
    const before = process.cpuUsage();
    expect(await meters.sweep(now, { kinds: ['renewals'] })).toEqual({ accounts: count });
    const used = process.cpuUsage(before);
    // An item of one write unit. The index deletes one entry and adds one.
    expect(itemBytes(rows[0]!)).toBeLessThan(1024);
    const renewal = { requests: requests / count, cpuMs: (used.user + used.system) / 1000 / count, indexUnits: 2 };
    const { timeoutSeconds, trigger } = jobs.renewAccounts;
    const shape = {
      shards: meterShards,
      maxConcurrency: trigger.maxConcurrency,
      accountsAtATime: maxConcurrentAccounts,
      memoryMb: 512,
      workedShare: (timeoutSeconds * 0.8) / 60,
    };
    const seconds = secondsToRenew(1e6, renewal, shape);
    const { requests: each, cpuMs } = renewal;
    console.log(`${each} requests, ${cpuMs.toFixed(2)} ms of processor: a million in ${seconds.toFixed(0)} s`);
    expect(seconds).toBeLessThan(900);
    // The earlier design: one run, eight shards.
    expect(secondsToRenew(1e6, renewal, { ...shape, shards: 8, maxConcurrency: 1 })).toBeGreaterThan(3600);
  },
);
