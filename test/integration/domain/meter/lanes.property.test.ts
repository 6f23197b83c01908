import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import { counted } from '#domain/meter/periods.ts';
import { withCap } from '#domain/meter/spending-cap.ts';
import { useTestDatabase } from '#test/database/database.ts';
import type { Fault } from '#test/database/faulty-client.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { type LaneAccount, openLaneAccount } from '#test/meter/lane-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();

interface Call {
  readonly requestId: string;
  readonly hold: OpenHold | undefined;
  /** Costs that may be charged. */
  readonly costs: Set<number>;
  isEnded: boolean;
}

interface World {
  readonly account: LaneAccount;
  readonly calls: Call[];
  /** Requests until the process dies, and how: its request is executed or not. */
  readonly death: { left: number; last: Fault };
}

type Step = (world: World) => Promise<unknown>;

/** A process that dies during the work: after some requests, none is sent, or the last is executed and its reply lost. */
const dying = (after: number | undefined, last: Fault, work: Step): Step => {
  return async (world) => {
    Object.assign(world.death, { left: after ?? Infinity, last });
    const outcome = await outcomeOf(work(world));
    world.death.left = Infinity;
    return outcome;
  };
};

const open = (running: readonly Call[]) => running.filter(({ hold, isEnded }) => hold && !isEnded);

const call =
  (process: number, amount: number, isStream: boolean): Step =>
  async ({ account, calls }) => {
    const requestId = `${calls.length}`.padStart(19, 'c');
    const made: { hold?: OpenHold } = {};
    try {
      made.hold = await account.admit(process, { requestId, amount, isStream });
    } finally {
      calls.push({ requestId, hold: made.hold, costs: new Set([0]), isEnded: false });
    }
  };

const record =
  (which: number, share: number): Step =>
  async ({ calls }) => {
    const running = open(calls).filter(({ hold }) => hold);
    const one = running[which % Math.max(1, running.length)];
    if (!one?.hold) return;
    const cost = Math.floor(one.hold.held * share);
    one.costs.add(cost);
    await one.hold.recordProgress(cost);
  };

const settle =
  (which: number, share: number): Step =>
  async ({ account, calls }) => {
    const running = open(calls);
    const one = running[which % Math.max(1, running.length)];
    if (!one?.hold) return;
    const cost = Math.floor(one.hold.held * share);
    one.isEnded = true;
    one.costs.add(cost);
    await one.hold.settle(cost, account.clock.ms);
    // Settled before its deadline, the call costs what it used.
    if (account.clock.ms < deadlineOf(one, account))
      one.costs.forEach((other) => other !== cost && one.costs.delete(other));
  };

const deadlines = new WeakMap<Call, number>();
const deadlineOf = (one: Call, account: LaneAccount): number => deadlines.get(one) ?? account.clock.ms;

const wait =
  (seconds: number): Step =>
  async ({ account: { clock } }) =>
    void (clock.ms += seconds * 1000);
const afterDue: Step = async ({ account }) =>
  void (account.clock.ms = Math.max(account.clock.ms, (await account.found()).due * 1000 + 1000));
const sweep: Step = ({ account }) => account.sweep(account.processes[1]);
const deliver =
  (again: number): Step =>
  ({ account }) =>
    account.deliver(again, account.processes[2]);
const heat: Step = async ({ account }) => {
  const holds = await Promise.allSettled(times(26, () => account.admit(0, { isInLane: false, amount: credits(0.01) })));
  account.clock.ms += 61_000;
  await account.sweep();
  for (const hold of holds) if (hold.status === 'fulfilled') await hold.value.settle(0, account.clock.ms);
  for (const process of [0, 1, 2])
    await account.admit(process, { amount: 0 }).then((hold) => hold.settle(0, account.clock.ms));
};
const write =
  (expression: string, values: Record<string, unknown> = {}): Step =>
  ({ account }) =>
    account.client.send(
      new UpdateCommand({
        TableName: tables.meters.name,
        Key: { a: account.accountId },
        UpdateExpression: expression,
        ExpressionAttributeNames: { '#last': 'last' },
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      }),
    );
const suspend = write('SET x = :x REMOVE #last', { ':x': 'suspended' });
const resume = write('REMOVE x, #last');
const revoke = write('SET k = :k REMOVE #last', { ':k': {} });
const restore = write('SET k = :k REMOVE #last', { ':k': { 'key-1': 4_000_000_000 } });
const change =
  (apply: Parameters<LaneAccount['keeper']['change']>[2]): Step =>
  ({ account }) =>
    account.keeper.change(account.accountId, account.clock.ms, apply);
const cap = (limit: number | undefined): Step =>
  change((before) => {
    const start = Date.UTC(2027, 2, 1) / 1000;
    const limited = limit === undefined ? undefined : { limit, start, used: 0 };
    return counted(before, { meter: withCap(before, limited), entries: [] }, start);
  });
const grant = (amount: number): Step =>
  change((meter) => grantCredits(meter, amount, Math.floor(Date.UTC(2027, 2, 2) / 1000)));

/** The same several times, one after the other. */
const repeated =
  (count: number, one: Step): Step =>
  async (world) => {
    for (let done = 0; done < count; done++) await one(world);
  };

const few = fc.integer({ min: 1, max: 4 });
const amount = fc.oneof(fc.nat(credits(2)), fc.constant(0), fc.nat(credits(400)));
const share = fc.constantFrom(0, 0.3, 1);
const work = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(few, fc.nat(2), amount, fc.boolean())
      .map(([count, ...about]) => repeated(count, call(...about))),
  },
  {
    weight: 8,
    arbitrary: fc.tuple(few, fc.nat(30), share).map(([count, ...about]) => repeated(count, settle(...about))),
  },
  { weight: 3, arbitrary: fc.tuple(fc.nat(30), share).map((about) => record(...about)) },
  { weight: 4, arbitrary: fc.constant(sweep) },
  { weight: 4, arbitrary: fc.nat(5).map(deliver) },
);
const restriction = fc.oneof(
  fc.constantFrom(suspend, resume, resume, resume, revoke, restore, restore, restore, cap(undefined), cap(undefined)),
  fc.nat(credits(3000)).map(cap),
  fc.nat(credits(100)).map(grant),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.option(fc.nat(5), { freq: 3 }), fc.constantFrom<Fault>('throttle', 'lost reply'), work)
      .map(([after, last, done]) => dying(after ?? undefined, last, done)),
  },
  { weight: 2, arbitrary: fc.oneof(fc.nat(10), fc.nat(40), fc.nat(200)).map(wait) },
  { weight: 2, arbitrary: fc.oneof({ weight: 8, arbitrary: fc.constant(heat) }, fc.constant(afterDue)) },
  { weight: 1, arbitrary: restriction },
);

it(
  'calls, crashes at every write, restrictions, expiry and renewals never spend or lose a credit of lanes',
  async () => {
    let inLanes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        const death: World['death'] = { left: Infinity, last: 'throttle' };
        const fault = (): Fault => {
          if (death.left > 0) return ((death.left -= 1), death.left === 0 ? death.last : 'none');
          return 'throttle';
        };
        const account = await openLaneAccount(database.url, credits(100_000), { fault });
        const world: World = { account, calls: [], death };
        await heat(world);
        for (const act of steps) {
          const made = world.calls.length;
          await outcomeOf(act(world));
          for (const one of world.calls.slice(made)) deadlines.set(one, account.clock.ms + 120_000);
          expect(await account.problems()).toEqual([]);
        }
        await outcomeOf(resume(world));
        for (let minute = 0; minute < 6; minute++) {
          account.clock.ms += 60_000;
          await account.sweep();
          await account.deliver();
        }
        expect(await account.problems()).toEqual([]);
        const end = await account.found();
        inLanes += account.images.length;
        expect([end.lanes?.size ?? 0, end.holds.size]).toEqual([0, 0]);
        const charged = account.entries.filter(({ type }) => type === 'charge');
        for (const { requestId, costs, hold } of world.calls) {
          const own = charged.filter((entry) => entry.requestId === requestId);
          expect(own.length).toBeLessThanOrEqual(1);
          if (hold) expect(own).toHaveLength(1);
          for (const { amount } of own) expect([...costs]).toContain(Math.abs(amount));
        }
        account.close();
      }),
      { numRuns: atLength(6, 300), seed: Number(process.env['SEED'] ?? Date.now() % 2 ** 31), endOnFailure: true },
    );
    expect(inLanes).toBeGreaterThan(atLength(2, 300));
  },
  patience,
);
