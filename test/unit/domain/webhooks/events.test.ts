import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import type { Alerts } from '#contract/routes/alerts.ts';
import { openMeter } from '#domain/billing/grants.ts';
import type { Hold, KeyEvent, LedgerEntry, Meter } from '#domain/meter/meter.ts';
import { periodStart } from '#domain/meter/periods.ts';
import { eventsOf } from '#domain/webhooks/events.ts';
import { credits } from '#test/meter/meters.ts';

const at = Date.UTC(2027, 2, 10, 12) / 1000;
const today = Date.UTC(2027, 2, 10) / 1000;
const yesterday = today - 86_400;
const { meter } = openMeter(7, at - 9, planOfRank);

const limit = { budget: 'b1', amount: credits(10), period: 'day' } as const;
const keys = new Map([['key-1', { expiresAt: at + 9999, limit }]]);
const hold = (amount: number, about: Partial<Hold> = {}): Hold => ({
  amount,
  deadline: at + 60,
  service: 'chat',
  model: 'svc-1',
  keyId: 'key-1',
  budget: { id: 'b1', start: today },
  ...about,
});
const charge = (amount: number, requestId = 'r'): LedgerEntry => ({ type: 'charge', at, amount: -amount, requestId });

/** The keys of an account, with the used budget and the credits held by calls. */
function account(used: number, holds: Record<string, Hold>, about: Partial<Meter> = {}): Meter {
  return {
    ...meter,
    spendable: credits(1000),
    keys,
    budgets: new Map([['b1', { start: today, used }]]),
    holds: new Map(Object.entries(holds)),
    ...about,
  };
}

const charged = (before: Meter, after: Meter, cost = credits(1)) =>
  eventsOf({ id: '1', before, after, entries: [charge(cost)] });

/** Settles a call with another amount than its hold, possibly while other calls run. */
function settled(usedBefore: number, held: number, cost: number, others: Record<string, Hold> = {}): string[] {
  const before = account(usedBefore + held, { r: hold(held), ...others });
  const after = account(usedBefore + cost, others, { seq: before.seq + 1 });
  return charged(before, after, cost).map(({ type }) => type);
}

describe('the limit of a key', () => {
  it.each([
    ['is reached by the call after which less than a credit remains', credits(9), credits(1), credits(1), true],
    ['is not reached while a credit remains', credits(8), credits(1), credits(1), false],
    ['is not reached by held credits that a call did not use', credits(8), credits(2), credits(0.5), false],
    ['is not reached again by a later call', credits(9.5), credits(0.5), credits(0.5), false],
    ['is not reached by a call that costs nothing', credits(9), credits(1), 0, false],
  ])('%s', (_, used, held, cost, isReached) => {
    expect(settled(used, held, cost)).toEqual(isReached ? ['key.limit_reached'] : []);
  });

  it('ignores the holds of running calls', () => {
    const running = { other: hold(credits(5)) };
    expect(settled(credits(5 + 3), credits(1), credits(1), running)).toEqual([]);
  });

  it('is not reached by a call that was admitted in an earlier period', () => {
    const old = hold(credits(1), { budget: { id: 'b1', start: yesterday } });
    expect(charged(account(credits(10), { r: old }), account(credits(10), {}))).toEqual([]);
  });

  it('is reported with the used amount and the reset time', () => {
    const events = charged(
      account(credits(10), { r: hold(credits(1)) }),
      account(credits(10), {}, { seq: meter.seq + 1 }),
    );
    const data = { accountId: 7, seq: meter.seq + 1, keyId: 'key-1', used: 10, resetsAt: '2027-03-11T00:00:00.000Z' };
    expect(events).toEqual([
      { type: 'key.limit_reached', at, data: { ...data, limit: { credits: 10, period: 'day' } } },
    ]);
  });

  it('is reported for its budget after a rotation, until no key has the budget', () => {
    const before = account(credits(10), { r: hold(credits(1)) });
    const rotated = account(credits(10), {}, { keys: new Map([['key-2', { expiresAt: at + 9999, limit }]]) });
    const gone = account(credits(10), {}, { keys: new Map() });
    expect(charged(before, rotated)).toMatchObject([{ data: { keyId: 'key-1' } }]);
    expect(charged(before, gone)).toEqual([]);
  });
});

describe('a change of keys', () => {
  const data = { accountId: 7, seq: meter.seq, keyId: 'k' };
  const rotation = { keyId: 'k', previousKeyId: 'j' };
  it.each<[KeyEvent['type'], object, object]>([
    ['created', { keyId: 'k' }, {}],
    ['revoked', { keyId: 'k' }, {}],
    ['rotated', rotation, { previousKeyId: 'j', previousExpiresAt: null }],
    [
      'rotated',
      { ...rotation, previousExpiresAt: today + 86_400 },
      { previousKeyId: 'j', previousExpiresAt: '2027-03-11T00:00:00.000Z' },
    ],
  ])('is an event: %s %j', (type, about, more) => {
    const keyEvent = { type, at, ...about } as KeyEvent;
    const event = { type: `key.${type}`, at, data: { ...data, ...more } };
    expect(eventsOf({ id: '1', before: meter, after: meter, entries: [], keyEvent })).toEqual([event]);
  });

  it('is not an event if keys are suspended, renamed or expire', () => {
    const before = account(0, {});
    expect(eventsOf({ id: '1', before, after: { ...before, keys: new Map() }, entries: [] })).toEqual([]);
  });
});

it('a new account and a deleted one have no events', () => {
  const entries: LedgerEntry[] = [{ type: 'grant', at, amount: credits(5), source: 'free' }];
  const after = { ...meter, seq: 2 };
  expect(eventsOf({ id: '1', before: undefined, after, entries })).toEqual([]);
  expect(eventsOf({ id: '1', before: meter, after: { ...after, closed: 'deleted' }, entries })).toEqual([]);
  expect(eventsOf({ id: '1', before: meter, after, entries })).toHaveLength(1);
});

const rules: Alerts['rules'] = [
  { kind: 'balance_below', value: 50 },
  { kind: 'month_percent', value: 60 },
  { kind: 'key_percent', value: 40 },
];

/** A call of 5 credits that moves a balance of 100 credits past a half, by a key that has used 4 of 10. */
function alerted(alerts: Alerts | undefined, balanceBefore = 52) {
  const account = (balance: number, used: number, about: Partial<Meter>): Meter => ({
    ...meter,
    ...(alerts && { alerts }),
    spendable: credits(balance),
    used: { chat: credits(100 - balance) },
    keys,
    budgets: new Map([['b1', { start: today, used: credits(used) }]]),
    ...about,
  });
  const before = account(balanceBefore, 0, {});
  const after = account(balanceBefore - 5, 5, { seq: before.seq + 1 });
  const entries = [{ type: 'charge', at, amount: -credits(5), keyId: 'key-1', requestId: 'r' }] as const;
  return eventsOf({ id: '1', before, after, entries });
}

describe('alert events', () => {
  it('exist for each matching rule if webhooks are among the channels', () => {
    const events = alerted({ rules, channels: ['email', 'webhook'] });
    const data = { accountId: 7, seq: meter.seq + 1, balance: 47 };
    const start = periodStart(meter.period);
    const balanceAlert = { ...data, kind: 'balance_below', value: 50, keyId: null };
    const keyAlert = { ...data, kind: 'key_percent', value: 40, keyId: 'key-1' };
    expect(events).toEqual([
      { type: 'alert.triggered', at, once: `${start}-balance-50`, data: balanceAlert },
      { type: 'alert.triggered', at, once: `${today}-key-b1-40`, data: keyAlert },
    ]);
  });

  it.each([
    ['for an account with email alerts only', { rules, channels: ['email'] }],
    ['for an account without alert settings', undefined],
    ['for an account without rules', { rules: [], channels: ['webhook'] }],
  ] satisfies [string, Alerts | undefined][])('do not exist %s', (_, alerts) => {
    expect(alerted(alerts)).toEqual([]);
  });
});
