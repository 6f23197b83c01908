import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { type Attempt, knownLimits, verdictOn } from '#domain/meter/admission.ts';
import { isSameLimit, type WorkingKey } from '#domain/meter/limits.ts';
import { heldOf, type Hold, type Meter } from '#domain/meter/meter.ts';
import { bucketsInWindow, rateStatus } from '#domain/meter/rate-window.ts';
import { attemptOn, credits, meterWith, start } from '#test/meter/meters.ts';

const seconds = start / 1000;
const hold: Hold = { amount: 1, deadline: seconds + 60, service: 'chat', model: 'svc-1', keyId: 'key-1' };
const meter = meterWith(credits(5));
const unlimited: WorkingKey = { expiresAt: 4_000_000_000 };
const limit = { budget: 'budget', amount: credits(3), period: 'day' } as const;
const limitedTo = (key: Partial<WorkingKey>): Partial<Meter> => ({
  keys: new Map([['key-1', { ...unlimited, ...key }]]),
});
const spent = (used: number) => new Map([[limit.budget, { start: seconds, used }]]);

function verdict(about: Partial<Meter>, call: Partial<Attempt> = {}, sellsCredits = false) {
  const found = verdictOn({ ...meter, ...about }, attemptOn(meter, 'one', call), sellsCredits);
  return found.is === 'refused' ? { code: found.why.code, detail: found.why.message } : found.is;
}

describe('a call that was not admitted by its write', () => {
  it('was admitted by an earlier attempt if its hold is open', () => {
    expect(verdict({ holds: new Map([['one', hold]]), closed: 'suspended' })).toBe('admitted');
  });

  it.each([
    ['without an account', undefined, 'key-1'],
    ['with a key that has expired', { keys: new Map([['key-1', { expiresAt: seconds }]]) }, 'key-1'],
    ['with a key of a suspended account', { closed: 'suspended' }, 'key-1'],
    ['with the session of a deleted account', { closed: 'deleted' }, undefined],
  ] as const)('%s is refused with 401', (_, about, keyId) => {
    const found = verdictOn(about && { ...meter, ...about }, attemptOn(meter, 'one', { keyId }));
    expect(found).toMatchObject({
      is: 'refused',
      why: { code: 'INVALID_API_KEY', message: expect.stringMatching(keyId ? /^The API key/ : /^The session/) },
    });
  });

  it('waits for due changes: a new month, or a hold whose deadline has passed', () => {
    expect(verdict({ due: seconds })).toBe('due');
    expect(verdict({ holds: new Map([['other', { ...hold, deadline: seconds }]]) })).toBe('due');
    const refused = verdict({ due: seconds + 1, spendable: 0, holds: new Map([['other', hold]]) });
    expect(refused).toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
  });

  it('is tried again with the limits of its key if they were unknown, and with the rank of a kept feature', () => {
    expect(verdict(limitedTo({ limit }))).toBe('limits changed');
    const kept: Partial<Meter> = { planRank: 1, terms: { ...planOfRank(1), features: ['messages'] } };
    const sms = attemptOn(meter, 'one', { service: 'sms', model: '', minPlanRank: 4 });
    expect(verdictOn({ ...meter, ...kept }, sms)).toEqual({ is: 'feature kept', planRank: 1 });
    expect(verdict(kept, { ...sms, service: 'chat' })).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it.each([
    [{ holds: new Map([['other', hold]]), maxConcurrentCalls: 1 }, 'RATE_LIMIT_EXCEEDED', /allows 1 concurrent calls/],
    [{ spendable: 999_999 }, 'INSUFFICIENT_CREDITS', /^This call needs up to 1 credit; you have 0\.999999 left\. Upg/],
    [{ callsThisMonth: 9, callsPerMonth: 9 }, 'INSUFFICIENT_CREDITS', /allows 9 calls per month/],
    [
      limitedTo({ models: ['svc-2', 'svc-3'] }),
      'INSUFFICIENT_PERMISSIONS',
      /the model svc-1; .* only: svc-2, svc-3\.$/,
    ],
    [limitedTo({ services: ['sms'] }), 'INSUFFICIENT_PERMISSIONS', /the service chat; .* only: sms\.$/],
    [
      { ...limitedTo({ limit }), budgets: spent(credits(2) + 1) },
      'KEY_LIMIT_EXCEEDED',
      /limit of 3 credits per day has 0\.999999 left; it resets at 2027-03-02T00:00:00\.000Z\.$/,
    ],
    [
      { ...limitedTo({ limit: { ...limit, period: 'total', amount: 0 } }) },
      'KEY_LIMIT_EXCEEDED',
      /limit of 0 credits in total has 0 left; it does not reset\.$/,
    ],
  ] as const)('is refused, given %j, with %s', (about, code, detail) => {
    expect(verdict(about)).toEqual({ code, detail: expect.stringMatching(detail) });
  });

  it('names the smaller of what its key and its account can spend, so that a call can be made smaller', () => {
    const spendableOf = (spendable: number, used: number) => {
      const found = verdictOn(
        { ...meter, ...limitedTo({ limit }), budgets: spent(used), spendable },
        attemptOn(meter, 'one', { amount: credits(9) }),
      );
      return found.is === 'refused' ? found.why : undefined;
    };
    expect(spendableOf(credits(5), credits(2))).toMatchObject({ spendable: credits(1) });
    expect(spendableOf(7, credits(2))).toMatchObject({ code: 'KEY_LIMIT_EXCEEDED', spendable: 7 });
  });

  it('is advised to buy credits only if they are sold', () => {
    expect(verdict({ spendable: 0 }, {}, true)).toMatchObject({ detail: expect.stringContaining('Buy credits, upg') });
  });

  it('spends the last credits of its account, its key and its month', () => {
    const last = { ...limitedTo({ limit }), budgets: spent(credits(2)), spendable: credits(1) };
    expect(verdict({ ...last, callsThisMonth: 8, callsPerMonth: 9 })).toBe('limits changed');
  });

  it('requires the plan that includes its model, by name, if one exists', () => {
    const needed = { minPlanRank: 4 };
    expect(verdict({ planRank: 1 }, needed)).toMatchObject({
      detail: expect.stringMatching(/^The model svc-1 requires/),
    });
    expect(verdict({ planRank: 1 }, { minPlanRank: 99 })).toMatchObject({
      detail: 'No plan includes the model svc-1.',
    });
    expect(verdict({ planRank: 1 }, { ...needed, model: '' })).toMatchObject({
      detail: expect.stringMatching(/^The service chat requires/),
    });
  });
});

describe('the rate of an account', () => {
  const [newest, second, ...older] = bucketsInWindow(start);
  const oldest = older.at(-1)!;
  const rate = (...buckets: [string, number][]) =>
    rateStatus({ ...meter, admitted: 10, ceiling: 30, buckets: new Map(buckets) }, start);

  it('is limited by the tightest of its buckets, and reset when the newest leaves the window', () => {
    expect(rate()).toEqual({ limit: 20, remaining: 20, retryAfterMs: 0, resetMs: 0 });
    expect(rate([newest!, 29], [second!, 15], [oldest, 18])).toMatchObject({ remaining: 5, resetMs: 63_000 });
    expect(rate([oldest, 15])).toMatchObject({ remaining: 5, retryAfterMs: 0, resetMs: 3000 });
    expect(rate(['0', 10])).toMatchObject({ remaining: 20, retryAfterMs: 0 });
  });

  it('admits the next call once all full buckets have left the window', () => {
    expect(rate([second!, 10], [oldest, 9])).toMatchObject({ remaining: 0, retryAfterMs: 60_000 });
    expect(verdict({ admitted: 10, ceiling: 30, buckets: new Map([[second!, 10]]) })).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      detail: 'The plan allows 20 calls per minute; try again in 60 s.',
    });
  });
});

describe('the limits of a key', () => {
  const stored = { start: seconds, used: 0 };

  it('are the same if only the used amount differs', () => {
    expect(isSameLimit({ limit, stored }, { limit, stored: { ...stored, used: 9 } })).toBe(true);
    expect(isSameLimit(undefined, undefined)).toBe(true);
    expect(isSameLimit({ limit: undefined, stored: undefined }, undefined)).toBe(false);
    for (const other of [
      { limit: { ...limit, budget: 'other' }, stored },
      { limit: { ...limit, amount: 1 }, stored },
      { limit: { ...limit, period: 'month' }, stored },
      { limit, stored: { ...stored, start: 0 } },
    ] as const) {
      expect(isSameLimit({ limit, stored }, other)).toBe(false);
    }
  });

  it('are known after a call, with the budget of its period, for the latest 1,000 keys', () => {
    const known = knownLimits();
    const keyLimits = { limit, stored: { start: seconds - 1, used: 7 } };
    known.admitted(attemptOn(meter, 'one', { keyLimits }));
    expect(known.of('key-1')).toMatchObject({ limit, stored: { start: seconds, used: 0 } });
    for (let key = 0; key < 999; key++) known.learn({ keyId: `other-${key}` }, keyLimits);
    expect(known.of('key-1')).toBeDefined();
    known.learn({ keyId: 'last' }, keyLimits);
    expect([known.of('key-1'), known.of('other-0')]).toEqual([undefined, keyLimits]);
    known.learn({ keyId: 'last' }, undefined);
    expect([known.of('last'), known.of(undefined)]).toEqual([undefined, undefined]);
  });

  it('count the holds of the same budget and period', () => {
    const budget = { id: 'budget', start: seconds };
    const holds = new Map<string, Hold>([
      ['one', { ...hold, amount: 2, budget }],
      ['two', { ...hold, amount: 3, budget }],
      ['past', { ...hold, budget: { ...budget, start: 0 } }],
      ['other', { ...hold, budget: { ...budget, id: 'other' } }],
      ['unlimited', hold],
    ]);
    expect(heldOf({ holds }, budget)).toBe(5);
  });
});
