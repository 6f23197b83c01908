import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { openMeter } from '#domain/meter/credits/billing.ts';
import type { Hold, KeyEvent, LedgerEntry, Meter } from '#domain/meter/meter.ts';
import { eventsOf } from '#domain/webhooks/events.ts';
import { credits } from '#test/meter/meters.ts';

const at = Date.UTC(2027, 2, 10, 12) / 1000;
const today = Date.UTC(2027, 2, 10) / 1000;
const yesterday = today - 86_400;
const { meter } = openMeter(7, at - 9, planOfRank);

const limit = { budget: 'b1', amount: credits(10), period: 'day' } as const;
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

/** The keys of an account, with what its budget has used and what calls hold. */
function account(used: number, holds: Record<string, Hold>, about: Partial<Meter> = {}): Meter {
  return {
    ...meter,
    spendable: credits(1000),
    keys: new Map([['key-1', { expiresAt: at + 9999, limit }]]),
    budgets: new Map([['b1', { start: today, used }]]),
    holds: new Map(Object.entries(holds)),
    ...about,
  };
}

/** A call that held one amount of a budget and came to another is settled, while others may go on. */
function settled(usedBefore: number, held: number, cost: number, others: Record<string, Hold> = {}): string[] {
  const before = account(usedBefore + held, { r: hold(held), ...others });
  const after = account(usedBefore + cost, others, { seq: before.seq + 1 });
  return eventsOf({ id: '1', before, after, entries: [charge(cost)] }).map(({ type }) => type);
}

describe('a key’s limit', () => {
  it.each([
    ['is reached by the call after which less than a credit is left', credits(9), credits(1), credits(1), true],
    ['is not reached while a credit is left', credits(8), credits(1), credits(1), false],
    ['is not reached by what a call held and did not come to', credits(8), credits(2), credits(0.5), false],
    ['is reached once: not again by a call after it', credits(9.5), credits(0.5), credits(0.5), false],
    ['is not reached by a call that costs nothing', credits(9), credits(1), 0, false],
  ])('%s', (_, used, held, cost, isReached) => {
    expect(settled(used, held, cost)).toEqual(isReached ? ['key.limit_reached'] : []);
  });

  it('does not count what is held for calls that run', () => {
    const running = { other: hold(credits(5)) };
    expect(settled(credits(5 + 3), credits(1), credits(1), running)).toEqual([]);
  });

  it('is not reached by a call of a period that is over', () => {
    const old = hold(credits(1), { budget: { id: 'b1', start: yesterday } });
    const before = account(credits(10), { r: old });
    const after = account(credits(10), {}, { seq: before.seq + 1 });
    expect(eventsOf({ id: '1', before, after, entries: [charge(credits(1))] })).toEqual([]);
  });

  it('is reported with what was used, and when it resets', () => {
    const before = account(credits(10), { r: hold(credits(1)) });
    const after = account(credits(10), {}, { seq: before.seq + 1 });
    expect(eventsOf({ id: '1', before, after, entries: [charge(credits(1))] })).toEqual([
      {
        type: 'key.limit_reached',
        at,
        data: {
          accountId: 7,
          seq: after.seq,
          keyId: 'key-1',
          limit: { credits: 10, period: 'day' },
          used: 10,
          resetsAt: '2027-03-11T00:00:00.000Z',
        },
      },
    ]);
  });

  it('is found by its budget where the key was rotated meanwhile, and nowhere once no key has it', () => {
    const before = account(credits(10), { r: hold(credits(1)) });
    const rotated = account(credits(10), {}, { keys: new Map([['key-2', { expiresAt: at + 9999, limit }]]) });
    const gone = account(credits(10), {}, { keys: new Map() });
    const entries = [charge(credits(1))];
    expect(eventsOf({ id: '1', before, after: rotated, entries })).toMatchObject([{ data: { keyId: 'key-1' } }]);
    expect(eventsOf({ id: '1', before, after: gone, entries })).toEqual([]);
  });
});

describe('a change of keys', () => {
  const data = { accountId: 7, seq: meter.seq, keyId: 'k' };
  it.each<[KeyEvent, object]>([
    [
      { type: 'created', at, keyId: 'k' },
      { type: 'key.created', at, data },
    ],
    [
      { type: 'revoked', at, keyId: 'k' },
      { type: 'key.revoked', at, data },
    ],
    [
      { type: 'rotated', at, keyId: 'k', previousKeyId: 'j' },
      { type: 'key.rotated', at, data: { ...data, previousKeyId: 'j', previousExpiresAt: null } },
    ],
    [
      { type: 'rotated', at, keyId: 'k', previousKeyId: 'j', previousExpiresAt: today + 86_400 },
      { type: 'key.rotated', at, data: { ...data, previousKeyId: 'j', previousExpiresAt: '2027-03-11T00:00:00.000Z' } },
    ],
  ])('%o is the event that it is', (keyEvent, event) => {
    expect(eventsOf({ id: '1', before: meter, after: meter, entries: [], keyEvent })).toEqual([event]);
  });

  it('is none where keys are suspended, renamed, or expire', () => {
    const before = account(0, {});
    expect(eventsOf({ id: '1', before, after: { ...before, keys: new Map() }, entries: [] })).toEqual([]);
  });
});

it('an account that is new or deleted has no events', () => {
  const entries: LedgerEntry[] = [{ type: 'grant', at, amount: credits(5), source: 'free' }];
  const after = { ...meter, seq: 2 };
  expect(eventsOf({ id: '1', before: undefined, after, entries })).toEqual([]);
  expect(eventsOf({ id: '1', before: meter, after: { ...after, closed: 'deleted' }, entries })).toEqual([]);
  expect(eventsOf({ id: '1', before: meter, after, entries })).toHaveLength(1);
});
