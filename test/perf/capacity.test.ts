import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { usualItemBytes } from '#bench/cost/capacity.ts';
import { watchUnits, writeUnits } from '#bench/cost/cost.ts';
import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { metering, type OpenHold } from '#domain/meter/metering.ts';
import { codeOfService } from '#domain/meter/pricing.ts';
import { newRequestId } from '#domain/shared/credential.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { itemBytes } from '#test/database/item-size.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const api = useCountedApi();

const calls = 50;
/** The maximum of 21 full buckets. */
const fullBuckets = () => {
  const bucket = Math.floor(Date.now() / 3000);
  return Object.fromEntries(Array.from({ length: 21 }, (_, age) => [(bucket - age).toString(36), 2000]));
};
const meter = () => metering(meterStore(api.client, tables.meters.name, ambient.random), renewals(planOfRank));

/** Runs requests of the service's client. Returns the units that each wrote to the table. */
async function unitsOf(work: () => Promise<unknown>): Promise<number[]> {
  const units: number[] = [];
  api.client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity };
      units.push(ConsumedCapacity?.Table?.CapacityUnits ?? 0);
      return result;
    },
    { step: 'initialize', name: 'units', priority: 'low' },
  );
  await work().finally(() => api.client.middlewareStack.remove('units'));
  return units;
}

/** Admits a call of one credit by an account's only key. */
function admit({ accountId, item }: Awaited<ReturnType<typeof api.account>>, isStream = false): Promise<OpenHold> {
  const [keyId] = Object.keys(item.k as object);
  const now = Date.now();
  const attempt = { accountId, keyId, service: 'chat', model: 'svc-1', minPlanRank: 1, amount: 1e6, now } as const;
  const about = { requestId: newRequestId(ambient.random), deadline: (now / 1000 + 360) | 0 };
  const price = codeOfService('chat');
  return meter().admit({ ...attempt, ...about, price, ...(isStream && { isStream }) });
}

// Runs first, because the sweep visits all accounts.
it("an account's first call in a minute uses the units stated in bench/cost/cost.ts for the check of its holds", async () => {
  const account = await api.account(5, () => ({ p: 7 }));
  const used = { write: 0, read: 0 };
  const index = { write: 0 };
  api.client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity };
      const units = ConsumedCapacity?.Table?.CapacityUnits ?? 0;
      const isRead = 'ConsistentRead' in args.input || 'KeyConditionExpression' in args.input;
      used[isRead ? 'read' : 'write'] += units;
      if (!isRead) index.write += ConsumedCapacity?.GlobalSecondaryIndexes?.['holds']?.CapacityUnits ?? 0;
      return result;
    },
    { step: 'initialize', name: 'capacity', priority: 'low' },
  );
  const now = Date.now();
  await (await admit(account)).settle(1e6, now);
  const ofCall = { ...used };
  await meter().sweep(now + 61_000);
  api.client.middlewareStack.remove('capacity');
  expect({ ofCall, write: used.write - ofCall.write + index.write, read: used.read }).toEqual({
    ofCall: { write: writeUnits.request, read: 0 },
    ...watchUnits,
  });
});

it.each([
  ['whole responses', false],
  ['streams that have recorded their progress', true],
])('an account’s item has the size stated in bench/cost/capacity.ts while %s run', async (_, isStream) => {
  const account = await api.account(5, () => ({ b: fullBuckets() }));
  const bytes = async () => {
    const read = new GetCommand({ TableName: tables.meters.name, Key: { a: account.accountId }, ConsistentRead: true });
    return itemBytes((await api.client.send(read)).Item!);
  };
  const tokens = { input: 1000, cached: 0, output: 1000 };
  await (await admit(account, isStream)).settle(1e6, Date.now(), 0, tokens);
  const atRest = await bytes();
  const open: OpenHold[] = [];
  for (let call = 0; call < calls; call++) open.push(await admit(account, isStream));
  if (isStream) for (const hold of open) await hold.recordProgress(123_456);
  const perCall = ((await bytes()) - atRest) / calls;
  expect(atRest).toBeLessThanOrEqual(usualItemBytes.atRest);
  expect(atRest).toBeGreaterThan(0.8 * usualItemBytes.atRest);
  expect(perCall).toBeLessThanOrEqual(usualItemBytes.perCall);
  expect(perCall).toBeGreaterThan(0.8 * usualItemBytes.perCall);
});

it('a stream records its progress for one unit, with any number of concurrent calls', async () => {
  const hold = [1e6, (Date.now() / 1000 + 360) | 0, 'chat', 'svc-1', ''];
  const holds = Object.fromEntries(Array.from({ length: 900 }, (_, call) => [`call-${call}`.padEnd(19, '0'), hold]));
  const account = await api.account(5, () => ({ h: holds }));
  let stream: OpenHold | undefined;
  const [admission = 0] = await unitsOf(async () => (stream = await admit(account, true)));
  expect(admission).toBeGreaterThan(30);
  expect(await unitsOf(async () => stream?.recordProgress(1234))).toEqual([1]);
  expect(await unitsOf(async () => stream?.recordProgress(5678))).toEqual([1]);
});
