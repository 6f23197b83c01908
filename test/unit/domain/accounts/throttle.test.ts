import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  confirmationsAgain,
  deviceGuesses,
  furtherResetLinks,
  guessesFromNetwork,
  keyChanges,
  mailsFromNetwork,
  mailsToAddress,
  passwordGuesses,
  sessionGuesses,
  subscriptionChanges,
  type ThrottleRule,
  type ThrottleStore,
  throttle,
  unconfirmedDeletions,
} from '#domain/accounts/throttle.ts';

/** A store like DynamoDB: each save is conditional on the revision that was read. */
function memoryStore(): ThrottleStore & { ids(): string[] } {
  const rows = new Map<string, { marks: readonly number[]; revision: number }>();
  return {
    find: async (id) => rows.get(id) ?? { marks: [], revision: 0 },
    async save(id, marks, revision) {
      if ((rows.get(id)?.revision ?? 0) !== revision) return false;
      rows.set(id, { marks, revision: revision + 1 });
      return true;
    },
    clear: async (id) => void rows.delete(id),
    ids: () => [...rows.keys()],
  };
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** A throttle with a clock that moves on demand. */
function clocked() {
  const clock = { now: Date.UTC(2027, 0, 1) };
  return { clock, ...throttle(memoryStore(), { now: () => clock.now }) };
}

/** The times of the calls that passed, for calls made after these waits in ms. */
async function passes(rule: ThrottleRule, waits: readonly number[]): Promise<number[]> {
  const { clock, take } = clocked();
  const passed: number[] = [];
  for (const wait of waits) {
    clock.now += wait;
    if ((await take(rule, 'somebody')) === 0) passed.push(clock.now);
  }
  return passed;
}

const maxIn = (moments: readonly number[], ms: number) =>
  Math.max(0, ...moments.map((start) => moments.filter((moment) => moment >= start && moment < start + ms).length));

const waits = fc.array(
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 10 * second }),
    fc.integer({ min: 1, max: 10 * minute }),
    fc.integer({ min: 1, max: 3 * hour }),
    fc.constantFrom(5 * minute - 1, 5 * minute, hour - 1, hour, day - 1, day),
  ),
  { minLength: 1, maxLength: 120 },
);

describe('a throttle', () => {
  it.each([
    ['mails to an address: 3 an hour', mailsToAddress, hour, 3],
    ['mails to an address: 10 a day', mailsToAddress, day, 10],
    ['further links to an address: 1 in 10 minutes', furtherResetLinks, 10 * minute, 1],
    ['further links to an address: 144 a day', furtherResetLinks, day, 144],
    ['confirmations sent again: 4 a day', confirmationsAgain, day, 4],
    ['changes of keys: 10 a minute', keyChanges, minute, 10],
    ['changes of a subscription: 10 a minute', subscriptionChanges, minute, 10],
    ['accounts of an unconfirmed address deleted: 3 a day', unconfirmedDeletions, day, 3],
    ['guesses from a network: 20 in 5 minutes', guessesFromNetwork, 5 * minute, 20],
    ['mails from a network: 20 an hour', mailsFromNetwork, hour, 20],
  ] as const)('admits no more than the rule allows in any window: %s', async (_, rule, ms, max) => {
    const property = fc.asyncProperty(waits, async (times) => {
      expect(maxIn(await passes(rule, times), ms)).toBeLessThanOrEqual(max);
    });
    await fc.assert(property);
  });

  it('reports the exact wait: an early retry is refused, a timely one is admitted', async () => {
    const rules = fc.constantFrom(mailsToAddress, guessesFromNetwork, mailsFromNetwork, passwordGuesses, deviceGuesses);
    const property = fc.asyncProperty(
      rules,
      fc.array(fc.integer({ min: 0, max: hour }), { maxLength: 30 }),
      async (rule, times) => {
        const { clock, take } = clocked();
        for (const wait of times) {
          clock.now += wait;
          await take(rule, 'somebody');
        }
        const wait = await take(rule, 'somebody');
        if (wait === 0) return;
        clock.now += wait - 1;
        expect(await take(rule, 'somebody')).toBe(1);
        clock.now += 1;
        expect(await take(rule, 'somebody')).toBe(0);
      },
    );
    await fc.assert(property);
  });

  it('admits exactly what the rule allows under concurrency, over any store with revisions', async () => {
    for (const [rule, max] of [
      [passwordGuesses, 5],
      [deviceGuesses, 5],
      [sessionGuesses, 5],
      [furtherResetLinks, 1],
      [mailsToAddress, 3],
      [guessesFromNetwork, 20],
    ] as const) {
      const { take } = throttle(memoryStore(), { now: () => 0 });
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => take(rule, 'somebody')));
      expect(outcomes.filter((wait) => wait === 0)).toHaveLength(max);
    }
  });

  it('counts each name separately, and stores none of the names', async () => {
    const store = memoryStore();
    const { take } = throttle(store, { now: () => 0 });
    for (const _ of Array.from({ length: 3 })) await take(mailsToAddress, 'ada@example.com');
    expect(await take(mailsToAddress, 'ada@example.com')).toBe(hour);
    expect(await take(mailsToAddress, 'grace@example.com')).toBe(0);
    expect(await take(mailsFromNetwork, 'ada@example.com')).toBe(0);
    expect(store.ids().join()).not.toMatch(/ada|grace/);
  });
});

describe('the guesses of a password', () => {
  it('are limited to 100 for an attacker until a reset or 30 days without attempts', async () => {
    const { clock, take, clear } = clocked();
    let reached = 0;
    let wait = 0;
    for (; wait <= hour; wait = await take(passwordGuesses, 'ada@example.com')) {
      if (wait === 0) reached += 1;
      clock.now += wait;
    }
    expect([reached - 1, wait]).toEqual([100, 30 * 24 * hour]);
    clock.now += wait - 1;
    expect(await take(passwordGuesses, 'ada@example.com')).toBe(1);
    await clear(passwordGuesses, 'ada@example.com');
    expect(await take(passwordGuesses, 'ada@example.com')).toBe(0);
  });

  it('wait 30 seconds after the fifth, then twice as long each time, up to an hour', async () => {
    const { clock, take } = clocked();
    const waited: number[] = [];
    for (let guess = 0; guess < 14; guess++) {
      const wait = await take(passwordGuesses, 'ada@example.com');
      if (wait === 0) continue;
      waited.push(wait / second);
      clock.now += wait;
      expect(await take(passwordGuesses, 'ada@example.com')).toBe(0);
    }
    expect(waited).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
  });
});
