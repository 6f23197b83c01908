import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/plans.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type LedgerEntry, type Meter } from '#domain/meter/meter.ts';
import type { MeterStore } from '#domain/meter/meter-store.ts';
import { type Charge, metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/service-error.ts';
import { meterStore } from '#repositories/meters.ts';
import { startTestDatabase } from '#test/database.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

type Step =
  | { do: 'call'; amount: number }
  | { do: 'settle'; which: number; share: number }
  | { do: 'crash'; which: number }
  | { do: 'wait'; seconds: number }
  | { do: 'sweep' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('call' as const), amount: fc.integer({ min: 1, max: credits(40) }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        which: fc.nat(9),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), which: fc.nat(9) }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.oneof(fc.nat(90), fc.nat(40 * 86_400)) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  ),
  { maxLength: 40 },
);

/** A store that loses every third reply of a write after it arrived, so that the write is made again. */
function withLostReplies(store: MeterStore): MeterStore {
  let writes = 0;
  const isLost = () => (writes += 1) % 3 === 0;
  return {
    ...store,
    async admit(attempt) {
      if (isLost()) await store.admit(attempt);
      return store.admit(attempt);
    },
    async settle(settlement) {
      if (isLost()) await store.settle(settlement);
      return store.settle(settlement);
    },
  };
}

/** Plays the steps on one account and checks, after each, what must always hold. */
async function play(first: Meter, steps: readonly Step[]): Promise<void> {
  const store = meterStore(database.client, 'meters');
  const rows: LedgerEntry[] = [];
  const meters = metering(
    {
      ...withLostReplies(store),
      async replace(before, after, entries) {
        const done = await store.replace(before, after, entries);
        if (done && before.accountId === first.accountId) rows.push(...entries);
        return done;
      },
    },
    planOfRank,
  );
  let now = start;
  let spent = 0;
  const open: { charge: Charge; deadline: number }[] = [];
  const taken = (which: number) => open.splice(which % Math.max(1, open.length), 1)[0];

  for (const [index, step] of steps.entries()) {
    if (step.do === 'wait') now += step.seconds * 1000;
    if (step.do === 'sweep') await meters.sweep(now);
    if (step.do === 'crash') taken(step.which);
    if (step.do === 'call') {
      const attempt = attemptOn(first, `call-${index}`, { now, amount: step.amount });
      const charge = await meters.admit(attempt).catch(allow402);
      if (charge) open.push({ charge, deadline: attempt.deadline });
    }
    if (step.do === 'settle') {
      const call = taken(step.which);
      const before = await store.find(first.accountId);
      await call?.charge.settle(Math.floor(call.charge.held * step.share), now);
      const after = await store.find(first.accountId);
      spent += balance(before!) - balance(after!);
    }
    const meter = (await store.find(first.accountId))!;
    const granted = rows.reduce((sum, { amount }) => sum + amount, 0);
    expect(meter.spendable).toBeGreaterThanOrEqual(0);
    expect(balance(meter)).toBe(balance(first) + granted - spent);
    expect(currentLots(meter).reduce((sum, lot) => sum + lot.remaining, 0)).toBe(balance(meter));
  }
  await meters.sweep(now + 200_000);
  const settled = (await store.find(first.accountId))!;
  expect(settled.holds.size).toBe(0);
  expect(settled.spendable).toBe(balance(first) + rows.reduce((sum, { amount }) => sum + amount, 0) - spent);
}

function allow402(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'INSUFFICIENT_CREDITS') return undefined;
  throw error;
}

describe('whatever calls, crashes, waits and lost replies come in whatever order', () => {
  it('the balance is never negative, is what was granted less what was charged and expired, and no hold stays', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => play(await putMeter(database.client, meterWith(credits(100))), steps)),
      { numRuns: 40 },
    );
  });
});
