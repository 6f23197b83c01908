import { afterEach, describe, expect, it, vi } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import type { Attempt } from '#domain/meter/admission.ts';
import {
  maxRaces,
  type MeterStore,
  type Settlement,
  type StreamCall,
  type Hold,
  type Meter,
} from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { bucketsInWindow } from '#domain/meter/rate-window.ts';
import { attemptOn, credits, meterWith, start } from '#test/meter/meters.ts';

const seconds = start / 1000;
const limit = { budget: 'budget', amount: credits(9), period: 'day' } as const;

/**
 * Calls of one meter, whose store records settlements and replaces the meter unless it is overtaken. `progress`: the
 * recorded cost of streams.
 */
function calls(first: Meter | undefined, overtaken = 0, progress: Readonly<Record<string, number>> = {}) {
  const settled: Settlement[] = [];
  const state = { meter: first, left: overtaken, replaced: 0 };
  const store = {
    find: async () => state.meter,
    admit: async ({ requestId, ...attempt }: Attempt) => {
      const isLimited = state.meter!.keys.get('key-1')?.limit !== undefined;
      if (isLimited && !attempt.keyLimits) return { isDone: false, meter: () => state.meter };
      const { amount, deadline, service, model, keyId = '' } = attempt;
      const hold: Hold = { amount, deadline, service, model, keyId };
      const { spendable, holds, ...rest } = state.meter!;
      state.meter = { ...rest, spendable: spendable - amount, holds: new Map([...holds, [requestId, hold]]) };
      return { isDone: true, meter: () => state.meter! };
    },
    settle: async (settlement: Settlement) => {
      settled.push(settlement);
      const holds = new Map(state.meter!.holds);
      holds.delete(settlement.requestId);
      state.meter = { ...state.meter!, holds };
      return true;
    },
    endProgress: async ({ requestId }: StreamCall) => ({ cost: progress[requestId] ?? 0 }),
    replace: async (_: Meter, after: Meter) => {
      state.replaced += 1;
      if (state.left-- > 0) return false;
      state.meter = after;
      return true;
    },
  };
  return { ...metering(store as unknown as MeterStore, renewals(planOfRank)), settled, state };
}

const limited = (used: number): Partial<Meter> => ({
  keys: new Map([['key-1', { expiresAt: 4_000_000_000, limit }]]),
  budgets: new Map([[limit.budget, { start: seconds, used }]]),
});

const open = (admitted: ReturnType<typeof calls>, about: Partial<Attempt> = {}) =>
  admitted.admit(attemptOn(admitted.state.meter!, 'one', { amount: credits(4), ...about }));

afterEach(() => void vi.useRealTimers());

describe('the receipt of a call', () => {
  it('shows the rate and the held credits during the call, then the charge and the remaining credits', async () => {
    const buckets = new Map([[bucketsInWindow(start)[0]!, 1999]]);
    const hold = await open(calls(meterWith(credits(10), { buckets })));
    const rateLimit = { limit: 2000, remaining: 1999, retryAfterMs: 0, resetMs: 63_000 };
    expect(hold.holding()).toEqual({ rateLimit, held: credits(4) });
    expect(hold.receipt(credits(1))).toEqual({ rateLimit, charged: credits(1), remaining: credits(9) });
  });

  it('shows the remaining credits of a limited key, at least 0', async () => {
    const admitted = calls(meterWith(credits(10), limited(credits(5))));
    const [hold, late] = [await open(admitted), await open(admitted)];
    expect(hold.receipt(credits(1)).keyRemaining).toBe(credits(7));
    admitted.state.meter = { ...admitted.state.meter!, ...limited(credits(99)) };
    expect(late.receipt(credits(1)).keyRemaining).toBe(0);
  });
});

describe('an open hold', () => {
  it('is settled once, for at most its amount, with its budget and the buckets that left the window', async () => {
    const buckets = new Map([[bucketsInWindow(start - 63_000)[0]!, 1]]);
    const admitted = calls(meterWith(credits(10), { buckets, ...limited(0) }));
    const hold = await open(admitted);
    expect(hold.isOpen).toBe(true);
    await hold.settle(credits(5), start, 0, { input: 1, cached: 0, output: 2 });
    await hold.settle(credits(1), start);
    expect(hold.isOpen).toBe(false);
    expect(admitted.settled).toMatchObject([
      {
        requestId: 'one',
        cost: credits(4),
        tokens: { input: 1, cached: 0, output: 2 },
        staleBuckets: [...buckets.keys()],
        expiryPassed: false,
        hold: { keyId: 'key-1', budget: { id: limit.budget, start: seconds } },
      },
    ]);
  });

  it('is settled after its month only once the month has ended, and the meter becomes due', async () => {
    const admitted = calls(meterWith(credits(10), { used: { chat: 7 } }));
    const hold = await open(admitted);
    const { due, period } = admitted.state.meter!;
    await hold.settle(1, due * 1000);
    expect(admitted.settled).toMatchObject([{ cost: 1, expiryPassed: true }]);
    expect(admitted.state.meter).toMatchObject({ used: {}, period: { index: period.index + 1 } });
    expect(admitted.state.replaced).toBe(1);
  });

  it('is settled in the new month despite 300 conflicts', async () => {
    const admitted = calls(meterWith(credits(10)), 300);
    const hold = await open(admitted);
    const { due, period } = admitted.state.meter!;
    await hold.settle(1, due * 1000);
    expect(admitted.state.meter!.period.index).toBe(period.index + 1);
    expect(admitted.settled).toMatchObject([{ cost: 1 }]);
  });

  it('is settled in the past month if every attempt to start the new one conflicts', async () => {
    const admitted = calls(meterWith(credits(10)), maxRaces);
    const hold = await open(admitted);
    await hold.settle(1, admitted.state.meter!.due * 1000);
    expect(admitted.state.meter!.period.index).toBe(0);
    expect(admitted.settled).toMatchObject([{ cost: 1, expiryPassed: true }]);
  });

  it('is settled together with another item, which is written again if the meter has changed', async () => {
    const hold = await open(calls(meterWith(credits(10))));
    let tries = 0;
    const written = await hold.settleWith(credits(5), start, async ({ cost, seq }, { lots }) => {
      expect([cost, seq, lots]).toEqual([credits(4), 1, [expect.objectContaining({ id: 1, amount: credits(4) })]]);
      return ++tries < 3 ? 'meter changed' : 'done';
    });
    expect([written, tries, hold.isOpen]).toEqual(['done', 3, false]);
  });

  it('stays open if the other item was not written', async () => {
    const hold = await open(calls(meterWith(credits(10))));
    expect(await hold.settleWith(1, start, async () => 'refused')).toBe('refused');
    expect(hold.isOpen).toBe(true);
  });

  it('is not settled with another item after the sweep closed it, or in an endless race', async () => {
    const swept = calls(meterWith(credits(10)));
    const late = await open(swept);
    await swept.current(1, start + 200_000);
    expect(await late.settleWith(1, start, async () => 'done')).toBe('hold closed');
    let tries = 0;
    const hold = await open(calls(meterWith(credits(10))));
    const race = hold.settleWith(1, start, async () => {
      tries += 1;
      return 'meter changed';
    });
    await expect(race).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(tries).toBe(maxRaces);
  });
});

describe('the meter of an account', () => {
  const hold: Hold = { amount: 5, deadline: seconds, service: 'chat', model: 'svc-1', keyId: 'key-1', delivered: 3 };

  it('is read after expired holds are settled for their delivered output, at most their amount', async () => {
    const { delivered: _, ...silent } = hold;
    const holds = new Map([
      ['streamed', { ...hold, delivered: 0 }],
      ['streamed by an earlier version', hold],
      ['beyond its hold', { ...hold, delivered: 0 }],
      ['silent', silent],
      ['alive', { ...hold, deadline: seconds + 1 }],
    ]);
    const admitted = calls(meterWith(1, { holds }), 0, { streamed: 4, 'beyond its hold': 6, silent: 5 });
    expect([...(await admitted.current(1, start)).holds.keys()]).toEqual(['alive']);
    expect(admitted.settled.map(({ requestId, cost }) => [requestId, cost])).toEqual([
      ['streamed', 4],
      ['streamed by an earlier version', 3],
      ['beyond its hold', 5],
      ['silent', 0],
    ]);
  });

  it('is read after its month has ended', async () => {
    const { due, ...meter } = meterWith(1);
    const { current, state } = calls({ ...meter, due });
    expect((await current(1, due * 1000 - 1)).due).toBe(due);
    expect(state.replaced).toBe(0);
    expect((await current(1, due * 1000)).due).toBeGreaterThan(due);
    expect(state.replaced).toBe(1);
  });

  it('is not found if the account does not exist', async () => {
    const { current, change } = calls(undefined);
    const unknown = { code: 'NOT_FOUND', message: 'There is no such account.' };
    await expect(current(1, start)).rejects.toMatchObject(unknown);
    await expect(change(1, start, (meter) => ({ meter, entries: [] }))).rejects.toMatchObject(unknown);
  });

  const add = (meter: Meter) => ({ meter: { ...meter, topUpBelow: 7 }, entries: [] });
  const busy = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 };

  it('is changed despite 399 conflicts, and is reported busy after the 400th', async () => {
    const [one, other] = [calls(meterWith(1), maxRaces - 1), calls(meterWith(1), maxRaces)];
    expect(await one.change(1, start, add)).toMatchObject({ topUpBelow: 7 });
    await expect(other.change(1, start, add)).rejects.toMatchObject(busy);
    expect([one.state.replaced, other.state.replaced]).toEqual([400, 400]);
  });

  it('is reported busy before a request times out, even if conflicts are slow', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const slow = calls(meterWith(1), maxRaces);
    const slowly = (meter: Meter) => {
      vi.advanceTimersByTime(4000);
      return add(meter);
    };
    await expect(slow.change(1, start, slowly)).rejects.toMatchObject(busy);
    expect([slow.state.replaced, performance.now()]).toEqual([4, 16_000]);
  });

  it('is changed after its month has ended, even while calls settle', async () => {
    const { due, ...meter } = meterWith(1);
    const late = calls({ ...meter, due }, 100);
    expect(await late.change(1, due * 1000, add)).toMatchObject({ topUpBelow: 7, period: { index: 1 } });
  });
});
