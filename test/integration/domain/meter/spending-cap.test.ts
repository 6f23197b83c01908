import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { tables } from '#contract/platform/resources.ts';
import { grantCredits, renewals } from '#domain/billing/grants.ts';
import { withCap } from '#domain/meter/limits.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { metering, type OpenHold } from '#domain/meter/metering.ts';
import { counted } from '#domain/meter/periods.ts';
import { type MeterAccess, meterCalls } from '#repositories/meter/meter-calls.ts';
import { meterOf as parsed, newMeterRow } from '#repositories/meter/meter-item.ts';
import { sdkMeter } from '#repositories/meter/sdk-meter.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const { database, store } = useMeters();
const calls = metering(store, renewals(planOfRank));
const april = Date.UTC(2027, 3, 1);
const day = 86_400_000;

const open = (about: Partial<Meter> = {}) =>
  putMeter(database.client, meterWith(credits(100), { maxConcurrentCalls: 300, ceiling: 1e9, ...about }));

const setCap = ({ accountId }: Meter, limit: number | undefined, now = start) =>
  calls.change(accountId, now, (before) => {
    const cap = limit === undefined ? undefined : { limit: credits(limit), start: start / 1000, used: 0 };
    const kept = before.cap && cap ? { ...cap, start: before.cap.start, used: before.cap.used } : cap;
    return counted(before, { meter: withCap(before, kept), entries: [] }, now / 1000);
  });

const found = async ({ accountId }: Meter): Promise<Meter> => {
  const meter = await store.find(accountId);
  if (!meter) throw new Error('there is no such meter');
  return meter;
};
const itemOf = async ({ accountId }: Meter) =>
  (await database.client.send(new GetCommand({ TableName: tables.meters.name, Key: { a: accountId } }))).Item ?? {};
const admit = (meter: Meter, id: string, about = {}) => outcomeOf(calls.admit(attemptOn(meter, id, about)));

describe('a spending cap', () => {
  it('admits 5 of 200 concurrent calls with a cap of 5, across processes, keys and sessions', async () => {
    const keys = new Map(times(2, (key) => [`key-${key}`, { expiresAt: 4_000_000_000 }] as const));
    const meter = await open({ keys });
    await setCap(meter, 5);
    const processes = times(4, () => metering(store, renewals(planOfRank)));
    const outcomes = await Promise.all(
      times(200, (call) => {
        const keyId = call % 3 === 2 ? undefined : `key-${call % 3}`;
        const attempt = attemptOn(meter, `call-${call}`, { keyId });
        return outcomeOf(processes[call % 4]?.admit(attempt) ?? Promise.reject());
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'INSUFFICIENT_CREDITS']));
    expect(await found(meter)).toMatchObject({ spendable: credits(95), cap: { used: credits(5) } });
  });

  it('names the cap and its reset in the refusal, and a lack of credits first', async () => {
    const meter = await open();
    await setCap(meter, 1);
    await expect(calls.admit(attemptOn(meter, 'large', { amount: credits(2) }))).rejects.toThrow(
      "This call needs up to 2 credits, and the account's spending cap of 1 credit per month has 1 left; it resets at 2027-04-01T00:00:00.000Z.",
    );
    await expect(calls.admit(attemptOn(meter, 'larger', { amount: credits(101) }))).rejects.toThrow(
      'you have 100 left',
    );
  });

  it('counts held credits, and returns the unused part and failed calls', async () => {
    const meter = await open();
    await setCap(meter, 5);
    const large = await calls.admit(attemptOn(meter, 'large', { amount: credits(4) }));
    expect(await admit(meter, 'second', { amount: credits(2) })).toBe('INSUFFICIENT_CREDITS');
    await large.settle(credits(1), start);
    const failed = await calls.admit(attemptOn(meter, 'failed', { amount: credits(4) }));
    await failed.settle(0, start);
    expect(await found(meter)).toMatchObject({ spendable: credits(99), cap: { used: credits(1) } });
    expect(await admit(meter, 'third', { amount: credits(4) })).toBe('done');
  });

  it('below the used credits refuses immediately, even after running calls return credits', async () => {
    const meter = await open();
    await setCap(meter, 50);
    const running = await calls.admit(attemptOn(meter, 'running', { amount: credits(20) }));
    await (await calls.admit(attemptOn(meter, 'ended', { amount: credits(10) }))).settle(credits(10), start);
    await setCap(meter, 5);
    expect(await admit(meter, 'a')).toBe('INSUFFICIENT_CREDITS');
    await running.settle(credits(1), start);
    expect(await admit(meter, 'b')).toBe('INSUFFICIENT_CREDITS');
    expect(await found(meter)).toMatchObject({ spendable: credits(89), cap: { used: credits(11) } });
    await setCap(meter, 12);
    expect([await admit(meter, 'c'), await admit(meter, 'd')]).toEqual(['done', 'INSUFFICIENT_CREDITS']);
  });

  it('starts again with the calendar month, and counts a running call in the month in which it ends', async () => {
    const meter = await open();
    await setCap(meter, 5);
    const late = await calls.admit(attemptOn(meter, 'late', { amount: credits(5), now: april - 10_000 }));
    expect(await admit(meter, 'before', { now: april - 1 })).toBe('INSUFFICIENT_CREDITS');
    expect(await admit(meter, 'during', { now: april })).toBe('INSUFFICIENT_CREDITS');
    await late.settle(credits(2), april + 1000);
    expect(await admit(meter, 'after', { amount: credits(3), now: april + 2000 })).toBe('done');
    expect((await found(meter)).cap).toEqual({ limit: credits(5), start: april / 1000, used: credits(5) });
  });

  it('does not change with grants and expiries, and leaves the balance', async () => {
    const meter = await open();
    await setCap(meter, 5);
    await calls.change(meter.accountId, start, (before) => grantCredits(before, credits(50), start / 1000));
    expect(await found(meter)).toMatchObject({ spendable: credits(150), cap: { used: 0 } });
    expect([await admit(meter, 'all', { amount: credits(5) }), await admit(meter, 'more')]).toEqual([
      'done',
      'INSUFFICIENT_CREDITS',
    ]);
    const later = await calls.current(meter.accountId, start + 100 * day);
    expect(later.spendable).toBeLessThan(credits(150));
    expect(later.cap?.limit).toBe(credits(5));
  });

  it(
    'never lets an account spend more than the cap, or loses credits, for any calls, changes and settlements',
    async () => {
      const step = fc.record({
        amount: fc.integer({ min: 0, max: 6 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        cap: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
        process: fc.integer({ min: 0, max: 2 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const meter = await open();
          const processes = times(3, () => metering(store, renewals(planOfRank)));
          const running: { hold: OpenHold; amount: number; share: number }[] = [];
          let [limit, held, charged] = [8, 0, 0];
          await setCap(meter, limit);
          for (const [index, { amount, share, cap, process }] of steps.entries()) {
            const attempt = attemptOn(meter, `call-${index}`, { amount: credits(amount), deadline: 2e9 });
            const hold = await processes[process]?.admit(attempt).catch(() => undefined);
            expect(hold !== undefined).toBe(held + charged + credits(amount) <= credits(limit));
            if (hold) running.push({ hold, amount: credits(amount), share });
            if (hold) held += credits(amount);
            const ending = share < 0.4 ? running.shift() : undefined;
            const cost = ending ? Math.floor(ending.amount * ending.share) : 0;
            await ending?.hold.settle(cost, start);
            held -= ending?.amount ?? 0;
            charged += cost;
            if (cap !== undefined) await setCap(meter, (limit = cap));
            const now = await found(meter);
            expect([now.spendable, now.cap?.used]).toEqual([credits(100) - held - charged, held + charged]);
          }
        }),
        { numRuns: atLength(15, 300) },
      );
    },
    patience,
  );
});

describe('an account without a spending cap', () => {
  it('has the same item as before it had one, and its calls are the same writes as with a cap', async () => {
    const written: unknown[] = [];
    const sdk = sdkMeter(database.client);
    const recorded: MeterAccess = { ...sdk, update: (input) => (written.push(input), sdk.update(input)) };
    const recording = meterCalls(tables.meters.name, recorded);
    const meter = await open();
    const attempt = attemptOn(meter, 'call');
    await recording.admit(attempt);
    await (await calls.admit(attempt)).settle(0, start);
    const before = await itemOf(meter);
    await setCap(meter, 5);
    expect(Object.keys(await itemOf(meter))).toContain('cp');
    await recording.admit(attempt);
    await (await calls.admit(attempt)).settle(0, start);
    await setCap(meter, undefined);
    const { n, m, ...rest } = await itemOf(meter);
    const changing = new Set(['w', 'last', 'n', 'm', 'seq', 'b']);
    const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !changing.has(name)));
    expect(Object.fromEntries(Object.entries(rest).filter(([name]) => !changing.has(name)))).toEqual(kept);
    expect([n - before['n'], m - before['m']]).toEqual([3, 3]);
    await recording.admit(attempt);
    for (const write of written.slice(1)) expect(JSON.stringify(write)).toBe(JSON.stringify(written[0]));
    expect(JSON.stringify(written[0])).not.toMatch(/cp|~cap/);
    expect(Object.keys(newMeterRow(meter, []))).not.toContain('cp');
  });

  it('gets no credits from a change that was computed before the cap was set', async () => {
    const meter = await open();
    const before = await found(meter);
    await setCap(meter, 5);
    const granted = grantCredits(before, credits(1), start / 1000);
    expect(await store.replace(before, granted.meter, granted.entries)).toBe(false);
    const recomputed = counted(before, { meter: before, entries: [] }, start / 1000);
    expect(await store.replace(before, recomputed.meter, [])).toBe(false);
    expect((await found(meter)).spendable).toBe(credits(100));
  });
});

describe('an earlier version', () => {
  /** An earlier version ignores the attribute that it does not know. */
  async function withoutCap(meter: Meter): Promise<Meter> {
    const { cp: _, ...Item } = await itemOf(meter);
    await database.client.send(new PutCommand({ TableName: tables.meters.name, Item }));
    return parsed(Item);
  }

  it('reads an item with a cap, keeps its balance, and returns the credits when the month ends', async () => {
    const meter = await open();
    await setCap(meter, 5);
    await (await calls.admit(attemptOn(meter, 'call', { amount: credits(2) }))).settle(credits(2), start);
    expect(balance(await withoutCap(meter))).toBe(credits(98));
    expect(await admit(meter, 'within', { amount: credits(3) })).toBe('done');
    expect(await admit(meter, 'above')).toBe('INSUFFICIENT_CREDITS');
    await calls.change(meter.accountId, start, (before) => grantCredits(before, credits(10), start / 1000));
    expect(balance(await found(meter))).toBe(credits(108));
    expect(await admit(meter, 'next', { amount: credits(50), now: april + 1000 })).toBe('done');
    expect((await found(meter)).holds.size).toBe(1);
  });

  it('writes items that the current version caps again from the next month', async () => {
    const meter = await open();
    await setCap(meter, 5);
    const { cp } = await itemOf(meter);
    await withoutCap(meter);
    expect(await admit(meter, 'uncapped', { amount: credits(50), now: april + 1000 })).toBe('done');
    const Item = { ...(await itemOf(meter)), cp };
    await database.client.send(new PutCommand({ TableName: tables.meters.name, Item }));
    const current = await calls.current(meter.accountId, april + 2000);
    expect(current).toMatchObject({ spendable: expect.any(Number), cap: { start: april / 1000, used: credits(50) } });
    expect(await admit(meter, 'capped', { now: april + 3000 })).toBe('INSUFFICIENT_CREDITS');
  });
});
