import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const { database, store } = useMeters();

const refused = (error: unknown): string =>
  error instanceof ServiceError ? error.code : `unexpected: ${String(error)}`;

/** Admits the call and returns the outcome. */
async function outcomeOf(meter: Meter, requestId: string, about = {}): Promise<string> {
  return metering(store, renewals(planOfRank))
    .admit(attemptOn(meter, requestId, about))
    .then(() => 'admitted', refused);
}

describe('admission', () => {
  it.each([
    ['an unknown key', { keyId: 'key-2' }, {}, 'INVALID_API_KEY'],
    ['a key past its expiry', {}, { keys: new Map([['key-1', { expiresAt: start / 1000 }]]) }, 'INVALID_API_KEY'],
    ['a model above the plan', { minPlanRank: 4 }, { planRank: 1 }, 'INSUFFICIENT_PERMISSIONS'],
    ['too few credits', { amount: credits(11) }, {}, 'INSUFFICIENT_CREDITS'],
  ])('refuses %s', async (_, attempt, about, code) => {
    const meter = await putMeter(database.client, meterWith(credits(10), about));
    expect(await outcomeOf(meter, 'call', attempt)).toBe(code);
    expect(await store.find(meter.accountId)).toMatchObject({ spendable: credits(10), admitted: 0 });
  });

  it('refuses with 401, 403, 429 and 402 in this order if several rules are broken', async () => {
    const worst = meterWith(0, { planRank: 1, admitted: 10, ceiling: 20, buckets: new Map([[bucket(start), 10]]) });
    await putMeter(database.client, worst);
    expect(await outcomeOf(worst, 'a', { keyId: 'key-2', minPlanRank: 4 })).toBe('INVALID_API_KEY');
    expect(await outcomeOf(worst, 'b', { minPlanRank: 4 })).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await outcomeOf(worst, 'c')).toBe('RATE_LIMIT_EXCEEDED');
    expect(await outcomeOf(worst, 'd', { now: start + 63_000 })).toBe('INSUFFICIENT_CREDITS');
  });

  it('limits concurrent calls independently of the rate limit', async () => {
    const meter = await putMeter(
      database.client,
      meterWith(credits(100), { planRank: 1, maxConcurrentCalls: 5, ceiling: 1000 }),
    );
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, call) => outcomeOf(meter, `call-${call}`)));
    expect(outcomes.filter((outcome) => outcome === 'admitted')).toHaveLength(5);
    expect(await store.find(meter.accountId)).toMatchObject({ admitted: 5 });
  });
});

describe('settlement', () => {
  it('releases the hold of a crashed call after its deadline, by the sweep or the next call', async () => {
    const swept = await putMeter(database.client, meterWith(credits(1)));
    const called = await putMeter(database.client, meterWith(credits(1)));
    await Promise.all([outcomeOf(swept, 'dead'), outcomeOf(called, 'dead')]);
    await metering(store, renewals(planOfRank)).sweep(start + 149_000);
    expect(await store.find(swept.accountId)).toMatchObject({ spendable: 0 });
    await metering(store, renewals(planOfRank)).sweep(start + 150_000);
    const after = await store.find(swept.accountId);
    expect(after).toMatchObject({ spendable: credits(1), holds: new Map() });
    expect(await outcomeOf(called, 'next', { now: start + 200_000 })).toBe('admitted');
  });

  it('expires released credits whose lot has expired during the call', async () => {
    const meter = await putMeter(database.client, meterWith(credits(10)));
    const [lot] = meter.lots;
    const before = (lot?.expiresAt ?? 0) * 1000 - 1000;
    const { current, admit } = metering(store, renewals(planOfRank));
    const openHold = await admit(attemptOn(meter, 'call', { amount: credits(4), now: before }));
    await current(meter.accountId, before + 2000);
    await openHold.settle(credits(1), before + 3000);
    const after = await current(meter.accountId, before + 4000);
    expect(after.lots.filter((left) => left.source === 'plan')).toEqual([]);
    expect(balance(after)).toBe(after.lots.reduce((sum, left) => sum + left.remaining, 0));
  });
});

function bucket(now: number): string {
  return Math.floor(now / 3000).toString(36);
}
