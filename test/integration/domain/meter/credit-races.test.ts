import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { grantCredits, renewals } from '#domain/billing/grants.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';
import type { Spent } from '#test/meter/spender.ts';

const { database, store } = useMeters();
const open = useLedgerAccounts(database);

const unhurried = { maxConcurrentCalls: 1000, ceiling: 1e9 };
const newMeter = (spendable: number) => putMeter(database.client, meterWith(spendable, unhurried));

/** Four processes that spend from one account, each with its own costs. */
async function spendFromFour(meter: Meter, costs: (worker: number) => number[]): Promise<Spent> {
  const run = promisify(execFile);
  const all = await Promise.all(
    times(4, async (worker) => {
      const args = [database.url, meter.accountId, `worker-${worker}`, JSON.stringify(costs(worker))].map(String);
      const { stdout } = await run(process.execPath, ['test/support/meter/spender.ts', ...args]);
      return JSON.parse(stdout) as Spent;
    }),
  );
  return {
    admitted: all.flatMap(({ admitted }) => admitted),
    refused: all.flatMap(({ refused }) => refused),
    others: all.flatMap(({ others }) => others),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe('concurrent calls of one account', () => {
  it(
    'from four processes are admitted exactly as often as the credits allow',
    async () => {
      const [calls, reach] = atLength([100, 150], [2500, 1000]);
      const meter = await newMeter(credits(reach));
      const { admitted, refused, others } = await spendFromFour(meter, () => times(calls, () => credits(1)));
      expect([admitted.length, refused.length, others]).toEqual([reach, 4 * calls - reach, []]);
      expect(await store.find(meter.accountId)).toMatchObject({ spendable: 0, holds: new Map(), admitted: reach });
    },
    patience,
  );

  it(
    'with costs from 1 to 50 never exceed the balance, and are refused only if they do not fit',
    async () => {
      const calls = atLength(40, 1000);
      const meter = await newMeter(credits(1000));
      const costs = (worker: number) => times(calls, (index) => credits(1 + ((index * 37 + worker * 11) % 50)));
      const { admitted, refused, others } = await spendFromFour(meter, costs);
      const left = credits(1000) - sum(admitted);
      expect(others).toEqual([]);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(Math.min(...refused)).toBeGreaterThan(left);
      expect(await store.find(meter.accountId)).toMatchObject({ spendable: left, holds: new Map() });
    },
    patience,
  );

  it.each([
    [0, 0],
    [1, 0],
    [credits(1) - 1, 0],
    [credits(1), 1],
    [credits(2) - 1, 1],
  ])('on %i microcredits: of ten calls of one credit each, %i is admitted', async (spendable, expected) => {
    const meter = await newMeter(spendable);
    const { admit } = metering(store, renewals(planOfRank));
    const outcomes = await Promise.all(times(10, (call) => outcomeOf(admit(attemptOn(meter, `call-${call}`)))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(expected);
    expect((await store.find(meter.accountId))?.spendable).toBe(spendable - expected * credits(1));
  });

  it('of a new account share its first month exactly', async () => {
    const account = await open();
    const outcomes = await Promise.all(times(150, () => outcomeOf(account.call(credits(1), credits(1)))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(100);
  });

  it(
    'at the highest possible rate are admitted or refused with 402, 429 or 503, and never overspend',
    async () => {
      const meter = await newMeter(credits(10_000));
      const { admit } = metering(store, renewals(planOfRank));
      const until = performance.now() + atLength(1000, 30_000);
      const outcomes = new Map<string, number>();
      let made = 0;
      async function hammer(): Promise<void> {
        while (performance.now() < until) {
          const request = `call-${(made += 1)}`;
          const outcome = await outcomeOf(
            admit(attemptOn(meter, request)).then((openHold) => openHold.settle(credits(1), start)),
          );
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      }
      await Promise.all(times(100, hammer));
      const after = await store.find(meter.accountId);
      expect(after).toMatchObject({ holds: new Map(), admitted: outcomes.get('done') });
      expect(after?.spendable).toBe(credits(10_000) - credits(outcomes.get('done') ?? 0));
      const known = new Set(['done', 'INSUFFICIENT_CREDITS', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE']);
      expect(new Set(outcomes.keys()).difference(known)).toEqual(new Set());
      expect(outcomes.get('done')).toBeGreaterThan(10);
    },
    patience,
  );
});

it('a change is written even if 300 calls change the meter between its reads and writes', async () => {
  const meter = await newMeter(credits(1000));
  let made = 0;
  const call = async (): Promise<void> => {
    const openHold = await admit(attemptOn(meter, `call-${(made += 1)}`));
    await openHold.settle(credits(1), start);
  };
  const replace: typeof store.replace = async (...write) => {
    if (made < 300) await Promise.all(times(10, call));
    return store.replace(...write);
  };
  const { admit, change } = metering({ ...store, replace }, renewals(planOfRank));
  await change(meter.accountId, start, (current) => grantCredits(current, credits(5), start / 1000));
  expect([made, (await store.find(meter.accountId))?.spendable]).toEqual([300, credits(705)]);
});

describe('the balance that concurrent callers see', () => {
  /** Calls of one credit at random times, with the time sent, the time returned and the reported balance. */
  async function history(calls: number, reach: number) {
    const meter = await newMeter(credits(reach));
    const seen = await Promise.all(
      times(calls, async (call) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        const attempt = attemptOn(meter, `call-${call}`);
        const sent = performance.now();
        const { isDone: isAdmitted, meter: after } = await store.admit(attempt);
        const received = performance.now();
        return { sent, received, isAdmitted, spendable: after()!.spendable };
      }),
    );
    return {
      admitted: seen.filter(({ isAdmitted }) => isAdmitted).toSorted((one, other) => other.spendable - one.spendable),
      refused: seen.filter(({ isAdmitted }) => !isAdmitted),
    };
  }

  it(
    'decreases by one credit per call in an order consistent with real time, and is 0 for a refused call',
    async () => {
      for (let run = 0; run < atLength(2, 1000); run++) {
        const { admitted, refused } = await history(200, 150);
        expect(admitted.map(({ spendable }) => spendable)).toEqual(times(150, (index) => credits(149 - index)));
        let latestSent = 0;
        for (const { sent, received } of admitted) {
          expect(received).toBeGreaterThan(latestSent);
          latestSent = Math.max(latestSent, sent);
        }
        for (const { received, spendable } of refused) {
          expect(spendable).toBe(0);
          expect(received).toBeGreaterThan(latestSent);
        }
      }
    },
    patience,
  );
});
