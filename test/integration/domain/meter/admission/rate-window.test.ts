import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { type Metering, metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { atLength, patience, times } from '#test/many.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let clients: DynamoDBDocumentClient[];
let workers: Metering[];
beforeAll(async () => {
  database = await startTestDatabase();
  clients = times(4, () => DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url, maxAttempts: 1 })));
  workers = clients.map((client) => metering(meterStore(client, 'meters', ambient.random), renewals(planOfRank)));
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await database.close();
});

const withLimit = (limit: number) =>
  putMeter(database.client, meterWith(credits(10), { ceiling: limit, planRank: 2, maxConcurrentCalls: 1000 }));

let calls = 0;

/** Runs one call on any worker. Returns the remaining limit or the wait in seconds. */
async function call(meter: Meter, now: number): Promise<{ remaining: number } | { retryAfter: number }> {
  calls += 1;
  try {
    const openHold = await workers[calls % workers.length]!.admit(
      attemptOn(meter, `call-${calls}`, { now, amount: 1 }),
    );
    await openHold.settle(1, now);
    return { remaining: openHold.receipt(1).rateLimit?.remaining ?? Number.NaN };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
    return { retryAfter: error.retryAfterSeconds ?? Number.NaN };
  }
}

/** Sends `count` calls at the same time. Returns the number of admitted calls and the wait of each refused call. */
async function together(meter: Meter, now: number, count: number) {
  const outcomes = await Promise.all(times(count, () => call(meter, now)));
  const waits = outcomes.flatMap((outcome) => ('retryAfter' in outcome ? [outcome.retryAfter] : []));
  return { admitted: count - waits.length, waits };
}

/** The most calls in any 60 s of the sorted times. */
function worstMinute(moments: readonly number[]): number {
  let [worst, first] = [0, 0];
  for (const [last, moment] of moments.entries()) {
    while (moments[first]! <= moment - 60_000) first += 1;
    worst = Math.max(worst, last - first + 1);
  }
  return worst;
}

describe('the rolling minute', () => {
  const gaps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 70_000 })),
    { minLength: 20, maxLength: 45 },
  );

  it(
    'admits at most the limit in any 60 s, whenever calls arrive',
    async () => {
      const limits = fc.integer({ min: 1, max: 12 });
      await fc.assert(
        fc.asyncProperty(limits, gaps, fc.integer({ min: 0, max: 2999 }), async (limit, gaps, offset) => {
          const meter = await withLimit(limit);
          const admitted: number[] = [];
          let now = start + offset;
          for (const gap of gaps) {
            now += gap;
            if ('remaining' in (await call(meter, now))) admitted.push(now);
          }
          expect(worstMinute(admitted)).toBeLessThanOrEqual(limit);
        }),
        { numRuns: atLength(8, 300) },
      );
    },
    patience,
  );

  it(
    'returns a Retry-After of at most 63 s, after which the call is admitted',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 5 }), gaps, async (limit, gaps) => {
          const meter = await withLimit(limit);
          let now = start;
          for (const gap of gaps) {
            now += gap;
            const outcome = await call(meter, now);
            if ('remaining' in outcome) continue;
            expect(outcome.retryAfter).toBeGreaterThan(0);
            expect(outcome.retryAfter).toBeLessThanOrEqual(63);
            now += outcome.retryAfter * 1000;
            expect(await call(meter, now)).toHaveProperty('remaining');
          }
        }),
        { numRuns: atLength(6, 100) },
      );
    },
    patience,
  );

  it('reports the remaining calls in its headers, and admits exactly as many', async () => {
    const meter = await withLimit(20);
    for (const [seconds, burst] of [
      [0, 7],
      [30, 4],
      [61, 1],
      [90, 9],
    ] as const) {
      const now = start + seconds * 1000;
      for (let made = 1; made < burst; made++) await call(meter, now);
      const outcome = await call(meter, now);
      expect(outcome).toHaveProperty('remaining');
      if (seconds < 90) continue;
      const { remaining } = outcome as { remaining: number };
      expect(remaining).toBeGreaterThan(0);
      expect((await together(meter, now, remaining + 5)).admitted).toBe(remaining);
    }
  });

  it('deletes buckets that are outside the window', async () => {
    const meter = await withLimit(100);
    for (let count = 0; count < 60; count++) await call(meter, start + count * 3000);
    const after = await meterStore(database.client, 'meters', ambient.random).find(meter.accountId);
    expect(after?.buckets.size).toBeLessThanOrEqual(22);
  });
});

/** The limit, and the minutes in which four workers offer the given multiple of it. */
const offers = atLength<[limit: number, load: number, minutes: number][]>(
  [
    [5, 10, 4],
    [20, 10, 2],
    [100, 10, 1],
    [20, 0.9, 3],
  ],
  [
    [5, 10, 50],
    [20, 10, 50],
    [100, 10, 20],
    [500, 10, 4],
    [2000, 10, 2],
    [2000, 0.9, 2],
    [500, 0.9, 3],
    [20, 0.9, 50],
  ],
);

describe('four workers with one account', () => {
  it.each(offers)(
    'with %i calls a minute, offered %f times as many for %i minutes, use up the limit and never exceed it',
    async (limit, load, minutes) => {
      const meter = await withLimit(limit);
      // Demand below the limit is spread evenly: a slot is free again only 60 to 63 s after a call, so bursts need some reserve.
      const ticks = load < 1 ? limit * load : Math.min(60, limit * load);
      const admitted: number[] = [];
      const refused: number[] = [];
      let now = start;
      for (let tick = 0, offered = 0; tick < ticks * minutes; tick++) {
        now = start + Math.floor((tick * 60_000) / ticks);
        const due = Math.floor(((tick + 1) * limit * load) / ticks) - offered;
        const { admitted: count, waits } = await together(meter, now, due);
        admitted.push(...Array<number>(count).fill(now));
        refused.push(...waits);
        offered += due;
      }
      expect(worstMinute(admitted)).toBeLessThanOrEqual(limit);
      expect(admitted.length / minutes).toBeGreaterThanOrEqual(0.95 * limit * Math.min(1, load));
      if (load < 1) return expect(refused).toEqual([]);
      expect(refused.every((wait) => wait >= 1 && wait <= 63)).toBe(true);
      // Without other callers, send more concurrent calls than the limit has left.
      const { waits } = await together(meter, now, limit);
      return expect(await call(meter, now + Math.min(...waits) * 1000)).toHaveProperty('remaining');
    },
    patience,
  );
});
