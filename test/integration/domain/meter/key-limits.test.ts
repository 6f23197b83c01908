import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { WorkingKey } from '#domain/meter/limits.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { type OpenHold, metering } from '#domain/meter/metering.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const { database, store } = useMeters();

const day = 86_400_000;
const expiresAt = 4_000_000_000;
const limited = (amount: number, period: 'day' | 'month' | 'total' = 'day'): WorkingKey => ({
  expiresAt,
  limit: { budget: 'budget-1', amount, period },
});
const meterOf = (keys: Record<string, WorkingKey>) =>
  putMeter(
    database.client,
    meterWith(credits(1000), { keys: new Map(Object.entries(keys)), maxConcurrentCalls: 1000, ceiling: 1e9 }),
  );
const usedOf = async ({ accountId }: Meter) => (await store.find(accountId))?.budgets.get('budget-1')?.used;

describe('a key with a spending limit', () => {
  it('admits 5 of 200 concurrent calls with a limit of 5, across processes', async () => {
    const meter = await meterOf({ 'key-1': limited(credits(5)) });
    const processes = times(4, () => metering(store, renewals(planOfRank)));
    const outcomes = await Promise.all(
      times(200, (call) => outcomeOf(processes[call % 4]?.admit(attemptOn(meter, `call-${call}`)) ?? Promise.reject())),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'KEY_LIMIT_EXCEEDED']));
    expect(await store.find(meter.accountId)).toMatchObject({ spendable: credits(995), admitted: 5 });
  });

  it('counts held credits and releases the unused part after the call', async () => {
    const meter = await meterOf({ 'key-1': limited(credits(5)) });
    const calls = metering(store, renewals(planOfRank));
    const openHold = await calls.admit(attemptOn(meter, 'large', { amount: credits(4) }));
    expect(await outcomeOf(calls.admit(attemptOn(meter, 'second', { amount: credits(2) })))).toBe('KEY_LIMIT_EXCEEDED');
    expect(openHold.receipt(credits(1)).keyRemaining).toBe(credits(4));
    await openHold.settle(credits(1), start);
    expect(await usedOf(meter)).toBe(credits(1));
    expect(await outcomeOf(calls.admit(attemptOn(meter, 'third', { amount: credits(4) })))).toBe('done');
  });

  it('resets with each period, and a hold of an earlier period releases nothing into the new one', async () => {
    const meter = await meterOf({ 'key-1': limited(credits(5)) });
    const calls = metering(store, renewals(planOfRank));
    const late = start + day - 10_000;
    const openHold = await calls.admit(attemptOn(meter, 'before', { amount: credits(5), now: late }));
    const next = await calls.admit(attemptOn(meter, 'after', { amount: credits(5), now: late + 20_000 }));
    await openHold.settle(0, late + 21_000);
    expect(await usedOf(meter)).toBe(credits(5));
    await next.settle(credits(2), late + 22_000);
    expect(await usedOf(meter)).toBe(credits(2));
    expect((await store.find(meter.accountId))?.spendable).toBe(credits(998));
  });

  it('is charged for the recorded output of a crashed stream, and no more', async () => {
    const meter = await meterOf({ 'key-1': limited(credits(5)) });
    const calls = metering(store, renewals(planOfRank));
    const stream = await calls.admit(attemptOn(meter, 'stream', { amount: credits(4), isStream: true }));
    await stream.recordProgress(credits(1));
    await calls.sweep(start + 151_000);
    expect(await usedOf(meter)).toBe(credits(1));
  });

  it('shares its budget with the keys of its rotation only', async () => {
    const meter = await meterOf({ old: limited(credits(5)), new: limited(credits(5)), free: { expiresAt } });
    const calls = metering(store, renewals(planOfRank));
    const admit = (keyId: string, amount: number) =>
      outcomeOf(calls.admit(attemptOn(meter, `${keyId}-${amount}`, { keyId, amount: credits(amount) })));
    expect([await admit('old', 3), await admit('new', 3), await admit('free', 100), await admit('new', 2)]).toEqual([
      'done',
      'KEY_LIMIT_EXCEEDED',
      'done',
      'done',
    ]);
  });

  it.each([
    ['models', { models: ['svc-code'] }],
    ['services', { services: ['embeddings'] }],
  ] as const)('refuses a call with an unlisted %s before it checks the credits', async (_, list) => {
    const meter = await meterOf({ 'key-1': { ...limited(credits(1)), ...list } });
    const calls = metering(store, renewals(planOfRank));
    const refused = calls.admit(attemptOn(meter, 'call', { amount: credits(9) }));
    expect(await outcomeOf(refused)).toBe('INSUFFICIENT_PERMISSIONS');
  });

  it('applies its current limits in every process, even after a cached call', async () => {
    const meter = await meterOf({ 'key-1': limited(credits(5)) });
    const calls = metering(store, renewals(planOfRank));
    const admit = (call: string, about = {}) => outcomeOf(calls.admit(attemptOn(meter, call, about)));
    expect(await admit('first')).toBe('done');
    const changes: readonly [WorkingKey, string][] = [
      [limited(credits(1)), 'KEY_LIMIT_EXCEEDED'],
      [limited(credits(2)), 'done'],
      [{ expiresAt }, 'done'],
      [{ expiresAt, models: ['svc-code'] }, 'INSUFFICIENT_PERMISSIONS'],
      [{ expiresAt, models: ['svc-1'] }, 'done'],
      [{ expiresAt: 1, models: ['svc-1'] }, 'INVALID_API_KEY'],
    ];
    for (const [index, [key, outcome]] of changes.entries()) {
      const { admitted, ...rest } = await demand(meter);
      await putMeter(database.client, { ...rest, admitted, keys: new Map([['key-1', key]]) });
      expect([index, await admit(`call-${index}`)]).toEqual([index, outcome]);
    }
  });

  it(
    'never spends more than its limit in a period, for any calls, settlements and clocks',
    async () => {
      const step = fc.record({
        amount: fc.integer({ min: 1, max: 6 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        wait: fc.constantFrom(0, 1000, day / 3, day),
        process: fc.integer({ min: 0, max: 2 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const meter = await meterOf({ 'key-1': limited(credits(10)) });
          const processes = times(3, () => metering(store, renewals(planOfRank)));
          const spent = new Map<number, number>();
          const open: { openHold: OpenHold; amount: number; share: number }[] = [];
          let now = start;
          for (const [index, { amount, share, wait, process }] of steps.entries()) {
            now += wait;
            const deadline = Math.ceil((now + 10 * day) / 1000);
            const attempt = attemptOn(meter, `call-${index}`, { amount: credits(amount), now, deadline });
            const openHold = await processes[process]?.admit(attempt).catch(() => undefined);
            const today = Math.floor(now / day);
            if (openHold) {
              open.push({ openHold, amount, share });
              spent.set(today, (spent.get(today) ?? 0) + amount);
              expect(spent.get(today)).toBeLessThanOrEqual(10);
            }
            const ending = share < 0.4 ? open.shift() : undefined;
            await ending?.openHold.settle(Math.floor(credits(ending.amount) * ending.share), now);
            const used = (await usedOf(meter)) ?? 0;
            expect(used).toBeGreaterThanOrEqual(0);
            expect(used).toBeLessThanOrEqual(credits(10));
            // Released credits may be spent again.
            spent.set(today, Math.min(spent.get(today) ?? 0, Math.ceil(used / credits(1))));
          }
        }),
        { numRuns: atLength(15, 500) },
      );
    },
    patience,
  );
});

async function demand({ accountId }: Meter): Promise<Meter> {
  const meter = await store.find(accountId);
  if (!meter) throw new Error('there is no such meter');
  return meter;
}
