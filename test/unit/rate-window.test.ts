import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/plans.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/service-error.ts';
import { meterStore } from '#repositories/meters.ts';
import { startTestDatabase } from '#test/database.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;

beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

/** Makes and settles a call at each moment; the moments admitted, and the refusals' Retry-After by moment. */
async function play(meter: Meter, moments: readonly number[], name = 'call') {
  const { admit } = metering(meterStore(database.client, 'meters'), planOfRank);
  const admitted: number[] = [];
  const refused = new Map<number, number>();
  for (const [index, now] of moments.entries()) {
    try {
      const charge = await admit(attemptOn(meter, `${name}-${index}`, { now, amount: 1 }));
      await charge.settle(1, now);
      admitted.push(now);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
      refused.set(now, Number(error.headers['Retry-After']));
    }
  }
  return { admitted, refused };
}

const withLimit = (limit: number) => putMeter(database.client, meterWith(credits(1), { ceiling: limit, planRank: 2 }));

const worstMinute = (moments: readonly number[]): number =>
  Math.max(0, ...moments.map((from) => moments.filter((moment) => moment >= from && moment < from + 60_000).length));

describe('the rolling minute', () => {
  const gaps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 70_000 })),
    {
      minLength: 20,
      maxLength: 60,
    },
  );

  it('never admits more than the limit in any 60 s, whatever the arrival times', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        gaps,
        fc.integer({ min: 0, max: 2999 }),
        async (limit, gaps, offset) => {
          let now = start + offset;
          const { admitted } = await play(
            await withLimit(limit),
            gaps.map((gap) => (now += gap)),
          );
          expect(worstMinute(admitted)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('tells in Retry-After, at most 63 s, a wait after which the call is admitted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), gaps, async (limit, gaps) => {
        const meter = await withLimit(limit);
        let now = start;
        for (const [step, gap] of gaps.entries()) {
          now += gap;
          const { refused } = await play(meter, [now], `call-${step}`);
          const wait = refused.get(now);
          if (wait === undefined) continue;
          expect(wait).toBeGreaterThan(0);
          expect(wait).toBeLessThanOrEqual(63);
          now += wait * 1000;
          expect((await play(meter, [now], `again-${step}`)).admitted).toEqual([now]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('admits at least 95 % of the limit under steady demand above it, and all of a demand below it', async () => {
    const everySecond = (perSecond: number, seconds: number) =>
      Array.from({ length: perSecond * seconds }, (_, call) => start + Math.floor((call * 1000) / perSecond));
    const over = await play(await withLimit(60), everySecond(2, 300));
    expect(over.admitted.length / 5).toBeGreaterThanOrEqual(57);
    const under = await play(
      await withLimit(60),
      everySecond(1, 180).filter((_, index) => index % 10 !== 0),
    );
    expect(under.refused.size).toBe(0);
  });

  it('leaves no bucket behind that has left the window', async () => {
    const meter = await withLimit(100);
    await play(
      meter,
      Array.from({ length: 100 }, (_, call) => start + call * 3000),
    );
    const after = await meterStore(database.client, 'meters').find(meter.accountId);
    expect(after?.buckets.size).toBeLessThanOrEqual(22);
  });
});
