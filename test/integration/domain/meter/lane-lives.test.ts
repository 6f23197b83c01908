import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { grantCredits } from '#domain/billing/grants.ts';
import { withCap } from '#domain/meter/limits.ts';
import { changeLot, freeIn } from '#domain/meter/lots.ts';
import { heldCredits, usedCredits } from '#domain/meter/meter.ts';
import { counted, onPlan } from '#domain/meter/periods.ts';
import { unlimited } from '#domain/meter/rate-window.ts';
import { useTestDatabase } from '#test/database/database.ts';
import type { Fault } from '#test/database/faulty-client.ts';
import { atLength, outcomeOf, patience, seed } from '#test/many.ts';
import { openLaneTwins, viewOf } from '#test/meter/lane-twins.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();

type Life = Awaited<ReturnType<typeof openLaneTwins>>;
type Step = (life: Life) => Promise<unknown>;

/** A step that fast-check prints by name. */
const named = (name: string, about: unknown, step: Step): Step =>
  Object.assign(step, { [fc.toStringMethod]: () => `${name} ${JSON.stringify(about)}` });

/** A process that crashes during the work. Its last request may have been executed, and none follows. */
const dying =
  (after: number | undefined, last: Fault, work: Step): Step =>
  async (life) => {
    Object.assign(life.death, { left: after ?? Infinity, last });
    await outcomeOf(work(life));
    life.death.left = Infinity;
  };

const admit =
  (count: number, process: number, amount: number, isStream: boolean, isInLane: boolean): Step =>
  async (life) => {
    for (let call = 0; call < count; call++) await life.admit(process, amount, { isStream, isInLane });
  };

const settle =
  (count: number, which: number, share: number): Step =>
  async (life) => {
    const { clock } = life.account;
    for (let call = 0; call < count; call++) {
      const running = life.running();
      const { hold, costs } = running[which % Math.max(1, running.length)] ?? {};
      const cost = Math.floor((hold?.held ?? 0) * share);
      costs?.add(cost);
      await hold?.settle(cost, clock.ms + 1000 * (life.skews[which % 3] ?? 0));
    }
  };

const record =
  (which: number, share: number): Step =>
  async (life) => {
    const { hold, costs } = life.running()[which] ?? {};
    const cost = Math.floor((hold?.held ?? 0) * share);
    costs?.add(cost);
    await hold?.recordProgress(cost);
  };

const sweep =
  (skew: number, isOff: boolean): Step =>
  (life) =>
    life.sweep(life.skews[skew] ?? 0, isOff ? life.closer : life.account.processes[1]);
const deliver =
  (again: number): Step =>
  ({ account }) =>
    account.deliver(again, account.processes[2]);

/** Runs the steps concurrently. */
const burst =
  (steps: readonly Step[]): Step =>
  (life) =>
    Promise.all(steps.map((step) => outcomeOf(step(life))));

const lifeOf = (expression: string, values: Record<string, unknown> = {}): Step =>
  named('write', [expression, values], (life) => life.write(expression, values));
const keyRow = (row: unknown): Step => lifeOf('SET k = :k REMOVE #last', { ':k': row });
const working = 4_000_000_000;
const limited = { x: working, b: 'key-1t', l: credits(40), p: 'total' };
const suspend = lifeOf('SET x = :x REMOVE #last', { ':x': 'suspended' });
const resume = lifeOf('REMOVE x, #last');
const restore = keyRow({ 'key-1': working });
/** Without restrictions, which would remain for the rest of most lives. Every process learns of the lanes. */
const open =
  (count: number): Step =>
  async (life) => {
    await resume(life);
    await restore(life);
    await life.open(count);
    for (const process of [0, 1, 2]) await life.admit(process, 0, { isInLane: false });
  };
const plan = (rank: number, maxConcurrentCalls: number): Step =>
  named('plan', [rank, maxConcurrentCalls], (life) =>
    life.both((meter) => {
      const limits = { ...planOfRank(rank), maxConcurrentCalls, callsPerMinute: unlimited, callsPerMonth: null };
      return counted(meter, { meter: onPlan(meter, limits), entries: [] }, Math.floor(life.account.clock.ms / 1000));
    }),
  );
const cap = (limit: number | undefined): Step =>
  named('cap', limit, async (life) => {
    const now = Math.floor(life.account.clock.ms / 1000);
    const date = new Date(life.account.clock.ms);
    await outcomeOf(life.account.deliver());
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
    await life.both((meter) => {
      const used = meter.cap?.used ?? usedCredits(meter) + heldCredits(meter);
      const limits = limit === undefined ? undefined : { limit, start: month, used };
      return counted(meter, { meter: withCap(meter, limits), entries: [] }, now);
    });
  });
const grant = (amount: number): Step =>
  named('grant', amount, (life) =>
    life.both((meter) => grantCredits(meter, amount, Math.floor(life.account.clock.ms / 1000))),
  );
/** Takes unspent credits of a lot, as a chargeback does. */
const takeBack = (amount: number): Step =>
  named('take back', amount, async (life) => {
    const now = Math.floor(life.account.clock.ms / 1000);
    let taken: number | undefined;
    await life.both((meter) => {
      const lot = meter.lots.at(-1);
      if (!lot) return counted(meter, { meter, entries: [] }, now);
      taken ??= Math.min(amount, freeIn(meter, lot), Math.max(0, meter.spendable));
      const changed = changeLot(meter, lot, -taken) ?? meter;
      return counted(meter, { meter: changed, entries: [{ type: 'adjustment', at: now, amount: 0 - taken }] }, now);
    });
  });

/** All calls end. Then two minutes pass without one, or as many as a sweep's clock was ahead. */
const rest: Step = async (life) => {
  const { account } = life;
  while (life.running().length > 0) await settle(1, 0, 0.3)(life);
  for (let minute = 0; minute < 8; minute++) {
    await life.follow();
    await account.deliver(3);
    account.clock.ms += 60_000;
    await life.sweep(0);
    await life.follow();
    const { holds, lanes } = await account.found();
    if (holds.size === 0 && !lanes?.size) return;
  }
};

async function pass(life: Life, seconds: number): Promise<void> {
  if (life.isCalm && (await life.expiresWithin(seconds))) await rest(life);
  await life.pass(seconds);
}

/** Moves the clock to a second before or after the next expiry or month. */
const turn =
  (offset: number): Step =>
  async (life) => {
    const { due } = await life.account.found();
    await pass(life, Math.max(0, due + offset - life.account.clock.ms / 1000));
  };
const wait =
  (seconds: number): Step =>
  (life) =>
    pass(life, seconds);

const few = fc.integer({ min: 2, max: 8 });
const amount = fc.oneof(fc.nat(credits(2)), fc.constant(0), fc.nat(credits(30)), fc.nat(credits(4000)));
const share = fc.constantFrom(0, 0.3, 1);
const inLane = fc.constantFrom(true, true, true, false);
const work: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(few, fc.nat(2), amount, fc.boolean(), inLane).map((all) => named('admit', all, admit(...all))),
  },
  { weight: 8, arbitrary: fc.tuple(few, fc.nat(30), share).map((all) => named('settle', all, settle(...all))) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(30), share).map((all) => named('record', all, record(...all))) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(2), fc.nat(5)).map(([skew, off]) => named('sweep', [skew, off], sweep(skew, off === 0))),
  },
  { weight: 4, arbitrary: fc.nat(5).map((again) => named('deliver', again, deliver(again))) },
);
const change: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(
    suspend,
    resume,
    keyRow({}),
    keyRow({ 'key-1': limited }),
    keyRow({ 'key-1': { x: working, o: [] } }),
  ),
  fc.constantFrom(resume, restore, restore, cap(undefined), cap(undefined), plan(5, 1000), plan(5, 1000)),
  fc.constantFrom(plan(4, 100), plan(5, 500), plan(5, 4000)),
  fc.nat(credits(400)).map(cap),
  fc.nat(credits(400)).map(grant),
  fc.nat(credits(3000)).map(takeBack),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(fc.option(fc.nat(6), { freq: 4 }), fc.constantFrom<Fault>('throttle', 'lost reply'), work)
      .map(([after, last, one]) =>
        named('dying', [after, last, fc.stringify(one)], dying(after ?? undefined, last, one)),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(work, { minLength: 3, maxLength: 6 })
      .map((all) => named('burst', all.map(fc.stringify), burst(all))),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(fc.nat(10), fc.nat(40), fc.nat(40), fc.nat(200)).map((time) => named('wait', time, wait(time))),
  },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1, 90).map((offset) => named('turn', offset, turn(offset))) },
  { weight: 2, arbitrary: change },
  { weight: 3, arbitrary: fc.nat(2).map((count) => named('open', count, open(count + 1))) },
);
const life = fc.record({
  skews: fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 3, maxLength: 3 }),
  faultPercent: fc.constantFrom(0, 0, 15),
  drawn: fc.nat(1e6),
  steps: fc.array(step, { minLength: 25, maxLength: 35 }),
});

it.each([
  { lives: 1, isExact: true, isCalm: true, when: 'and lots expire' },
  { lives: 2, isExact: false, isCalm: true, when: 'and clocks differ by up to 600 s' },
  { lives: 3, isExact: true, isCalm: false, when: 'except for leased credits of a lot that expires' },
])(
  'an account with lanes ends like one without them after the same calls and any failures $when',
  async ({ lives, isExact, isCalm }) => {
    let inLanes = 0;
    await fc.assert(
      fc.asyncProperty(life, async ({ steps, skews, ...about }) => {
        const clocks = isExact ? [0, 0, 0] : skews;
        const world = await openLaneTwins(database.url, { ...about, skews: clocks, isCalm });
        const { account } = world;
        const first = [open(3), admit(6, 0, credits(1), false, true), settle(3, 3, 1)];
        for (const one of [...first, ...steps, resume, rest]) {
          await outcomeOf(one(world));
          await world.follow();
          expect(await account.problems()).toEqual([]);
        }
        const [meter, twin] = [
          await account.keeper.current(account.accountId, account.clock.ms),
          await world.twinNow(),
        ];
        account.collect();
        const charges = account.entries.filter(({ type }) => type === 'charge');
        const ended = [...world.calls.values()].flatMap((call) => (call.isEnded ? call.requestId : []));
        expect(new Set(charges.map(({ requestId }) => requestId))).toEqual(new Set(ended));
        // A sweep whose clock is ahead may settle a hold at 0 before its lane removes it. The call then runs elsewhere.
        const paid = charges.flatMap(({ amount, requestId }) => (amount < 0 ? requestId : []));
        expect(paid).toHaveLength(new Set(paid).size);
        for (const { amount, requestId = '' } of charges)
          expect([...(world.calls.get(requestId)?.costs ?? [])]).toContain(0 - amount);
        const late = meter.spendable - twin.spendable;
        // A call that ends near the end of a month counts in the month that the clock of its process shows.
        const months = isExact ? {} : { used: [], calls: 0, cap: undefined };
        // A charge that is posted after a free lot was granted is taken from that lot, which is spent first.
        const parts = { ...months, ...(!isCalm && { lots: undefined }) };
        if (world.spentLate === 0) expect({ ...viewOf(meter), ...parts }).toEqual({ ...viewOf(twin), ...parts });
        else if (world.spentLate !== undefined) expect(late >= 0 && late <= world.spentLate).toBe(true);
        inLanes += account.images.length;
        account.close();
      }),
      { numRuns: atLength(2, 150), seed: seed + lives, endOnFailure: true },
    );
    expect(inLanes).toBeGreaterThan(atLength(1, 450));
  },
  patience,
);
