import * as v from 'valibot';
import { tables } from '#contract/platform/resources.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { times } from '#test/many.ts';
import { openLaneAccount } from '#test/meter/lane-account.ts';
import { credits } from '#test/meter/meters.ts';
import { startBenchDatabase } from './shared/database.ts';

/**
 * One account at a high rate: calls of 3 s on the real meter and an embedded database that reports units. Time is
 * virtual: in each second all calls of the second begin, those of three seconds before end, and their charges are
 * posted in batches as from 40 shards of the stream. Prints the units of each item per second: DynamoDB sustains 1,000
 * write and 3,000 read units for one.
 */
const perSecond = Number(process.argv[2] ?? 1000);
const measured = Number(process.argv[3] ?? 3);
const callSeconds = 3;
const shards = 40;
const concurrency = 24;

const database = await startBenchDatabase();
const account = await openLaneAccount(database.url, credits(1e9), { about: { maxConcurrentCalls: 4000 } });
const store = meterStore(account.client, tables.meters.name, ambient.random);
const key = 'key-1';

const Used = v.object({ CapacityUnits: v.number() });
const Input = v.object({ Key: v.optional(v.object({ a: v.number() })), ConsistentRead: v.optional(v.boolean()) });
const Output = v.object({ ConsumedCapacity: v.optional(v.union([v.array(Used), Used])) });

type Units = { write: number; read: number };
let units = new Map<string, Units>();
for (const { middlewareStack } of account.clients)
  middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
      const { Key, ConsistentRead = false } = v.parse(Input, args.input);
      const { a = account.accountId } = Key ?? {};
      const isOwn = a === account.accountId;
      const count = ({ ConsumedCapacity: used }: v.InferOutput<typeof Output>) => {
        const name = isOwn ? 'account' : String(a);
        const sum = units.get(name) ?? { write: 0, read: 0 };
        for (const one of [used ?? []].flat()) sum[ConsistentRead ? 'read' : 'write'] += one.CapacityUnits;
        units.set(name, sum);
      };
      try {
        const result = await next(args);
        count(v.parse(Output, result.output));
        return result;
      } catch (error) {
        // A failed condition costs one unit for each KB of the item, which is at most 1 KB in a lane.
        if (error instanceof Error && error.name === 'ConditionalCheckFailedException')
          count({ ConsumedCapacity: { CapacityUnits: 1 } });
        throw error;
      }
    },
    { step: 'initialize', name: 'units', priority: 'low' },
  );

const each = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  const left = items.values();
  await Promise.all(
    times(concurrency, async () => {
      for (const item of left) await work(item);
    }),
  );
};

const seconds = () => account.clock.ms / 1000;
for (const count of [70, 70, 60])
  await store.openLanes(await account.found(), {
    count,
    amount: credits(5000),
    until: seconds() + 180,
    at: seconds() + 60,
  });
for (const process of [0, 1, 2]) await (await account.admit(process, { keyId: key })).settle(0, account.clock.ms);
await account.deliver();

const running: OpenHold[][] = [];
let refused = 0;
const totals = { calls: 0, write: 0, read: 0, accountWrite: 0, accountRead: 0, laneWrite: 0 };
const began = process.cpuUsage();
for (let second = 0; second < callSeconds + measured; second++) {
  account.clock.ms += 1000;
  units = new Map();
  const begun: OpenHold[] = [];
  const ending = running.length === callSeconds ? (running.shift() ?? []) : [];
  const steps = times(perSecond, (call) => async () => {
    await ending[call]?.settle(credits(0.5), account.clock.ms, 0, { input: 1000, cached: 0, output: 1000 });
    const hold = await account.admit(call, { keyId: key }).catch(() => undefined);
    if (hold) begun.push(hold);
    else refused += 1;
  });
  await each(steps, (step) => step());
  running.push(begun);
  await account.deliverFrom(shards);
  if (second < callSeconds) continue;
  const { account: own = { write: 0, read: 0 }, ...lanes } = Object.fromEntries(units);
  totals.calls += perSecond;
  totals.accountWrite = Math.max(totals.accountWrite, own.write);
  totals.accountRead = Math.max(totals.accountRead, own.read);
  for (const lane of [own, ...Object.values(lanes)]) {
    totals.write += lane.write;
    totals.read += lane.read;
    if (lane !== own) totals.laneWrite = Math.max(totals.laneWrite, lane.write);
  }
}
const { user, system } = process.cpuUsage(began);
const meter = await account.found();
const inLanes = (await account.lanes()).reduce((sum, { holds }) => sum + holds.size, 0);
console.log({
  perSecond,
  running: running.flat().length,
  inLanes,
  lanes: meter.lanes?.size,
  refused,
  'write units a call': totals.write / totals.calls,
  'read units a call': totals.read / totals.calls,
  'write units a second of the account’s item': totals.accountWrite,
  'read units a second of the account’s item': totals.accountRead,
  'write units a second of the busiest lane': totals.laneWrite,
  problems: await account.problems(),
  cpuSeconds: (user + system) / 1e6,
});
account.close();
await database.close();
