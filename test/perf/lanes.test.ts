import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { laneUnits } from '#bench/cost/capacity.ts';
import { tables } from '#contract/platform/resources.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { times } from '#test/many.ts';
import { openLaneAccount } from '#test/meter/lane-account.ts';
import { credits } from '#test/meter/meters.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const database = useTestDatabase();
const api = useCountedApi();

type Counted = Record<'calls' | 'postings' | 'reads' | 'requests', number>;

/** Capacity units by kind of request. */
function countUnits(clients: Awaited<ReturnType<typeof openLaneAccount>>['clients']): Counted {
  const units: Counted = { calls: 0, postings: 0, reads: 0, requests: 0 };
  for (const { middlewareStack } of clients)
    middlewareStack.add(
      (next) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
        const { UpdateExpression = '' } = args.input as { UpdateExpression?: string };
        const kind =
          'ConsistentRead' in args.input ? 'reads' : UpdateExpression.includes('mc + :calls') ? 'postings' : 'calls';
        const result = await next(args);
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: ConsumedCapacity };
        units[kind] += ConsumedCapacity?.CapacityUnits ?? 0;
        units.requests += 1;
        return result;
      },
      { step: 'initialize', name: 'units', priority: 'low' },
    );
  return units;
}

it('a call uses the units stated in bench/cost/capacity.ts while 1,000 calls of its account run, posting included', async () => {
  const account = await openLaneAccount(database.url, credits(1_000_000), { about: { maxConcurrentCalls: 4000 } });
  const store = meterStore(account.client, tables.meters.name, ambient.random);
  const seconds = account.clock.ms / 1000;
  const lanes = { count: 80, amount: credits(60), until: seconds + 180, at: seconds + 60 };
  expect(await store.openLanes(await account.found(), lanes)).toBe(true);
  for (const process of [0, 1, 2]) await (await account.admit(process)).settle(0, account.clock.ms);
  const open: OpenHold[] = [];
  const running = 1000;
  const admit = (process: number) =>
    account.admit(process, { keyId: 'key-1', requestId: `${Math.random()}`.padEnd(19, '0').slice(0, 19) });
  await Promise.all(
    times(20, async (worker) => {
      for (let call = worker; call < running; call += 20) open.push(await admit(worker));
    }),
  );
  const inLanes = (await account.lanes()).reduce((sum, { holds }) => sum + holds.size, 0);
  expect(inLanes).toBeGreaterThan(0.95 * running);
  await account.deliver();
  const units = countUnits(account.clients);
  const calls = 200;
  for (let call = 0; call < calls; call++) {
    await open.shift()?.settle(credits(0.5), account.clock.ms, 0, { input: 1000, cached: 0, output: 1000 });
    open.push(await admit(call));
  }
  await account.deliver();
  const perCall = (units.calls + units.postings) / calls;
  expect(perCall).toBeLessThanOrEqual(laneUnits.write);
  expect(perCall).toBeGreaterThan(0.7 * laneUnits.write);
  expect(units.reads / calls).toBeLessThanOrEqual(laneUnits.read);
  account.close();
});

it('a call in a lane writes twice, and reads its account beside the first write', async () => {
  const { accountId, key } = await api.account(5, () => ({ due: 4_000_000_000 }));
  const store = meterStore(api.client, tables.meters.name, ambient.random);
  const meter = await store.find(accountId);
  if (!meter) throw new Error('the account is gone');
  const seconds = Math.floor(Date.now() / 1000);
  expect(await store.openLanes(meter, { count: 4, amount: 1e9, until: seconds + 180, at: seconds + 60 })).toBe(true);
  const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
  const post = () => api.post('/v1/chat/completions', key, chat);
  expect(await post()).toMatchObject({ status: 200, operations: ['UpdateItem', 'model', 'UpdateItem'] });
  const inLane = await post();
  expect(inLane).toMatchObject({ status: 200 });
  expect(inLane.operations.slice(0, 2).toSorted()).toEqual(['GetItem', 'UpdateItem']);
  expect(inLane.operations.slice(2)).toEqual(['model', 'UpdateItem']);
});
