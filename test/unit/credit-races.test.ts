import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/plans.ts';
import { auditLedger } from '#domain/ledger.ts';
import { verdictOn } from '#domain/meter/admission.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import type { MeterStore } from '#domain/meter/meter-store.ts';
import { metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/service-error.ts';
import { meterStore } from '#repositories/meters.ts';
import { startTestDatabase } from '#test/database.ts';
import { openLedgerAccount } from '#test/ledger-account.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meters.ts';
import type { Spent } from '#test/spender.ts';

const long = Boolean(process.env['LONG']);
const patience = long ? 3_600_000 : 120_000;

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let store: MeterStore;
beforeAll(async () => {
  database = await startTestDatabase();
  store = meterStore(database.client, 'meters');
});
afterAll(() => database.close());

const unhurried = { callsInFlight: 1000, ceiling: 1e9 };
const newMeter = (spendable: number) => putMeter(database.client, meterWith(spendable, unhurried));
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );

/** Four processes spend from one account, each with its costs. */
async function spendFromFour(meter: Meter, costs: (worker: number) => number[]): Promise<Spent> {
  const run = promisify(execFile);
  const all = await Promise.all(
    times(4, async (worker) => {
      const args = [database.url, meter.accountId, `worker-${worker}`, JSON.stringify(costs(worker))].map(String);
      const { stdout } = await run(process.execPath, ['test/support/spender.ts', ...args]);
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

describe('many callers of one account', () => {
  it(
    'in four processes are admitted exactly as often as the credits reach',
    async () => {
      const [calls, reach] = long ? [2500, 1000] : [250, 300];
      const meter = await newMeter(credits(reach));
      const { admitted, refused, others } = await spendFromFour(meter, () => times(calls, () => credits(1)));
      expect([admitted.length, refused.length, others]).toEqual([reach, 4 * calls - reach, []]);
      expect(await store.find(meter.accountId)).toMatchObject({ spendable: 0, holds: new Map(), admitted: reach });
    },
    patience,
  );

  it(
    'with costs from 1 to 50 are never admitted beyond the balance, and refused only what did not fit',
    async () => {
      const calls = long ? 1000 : 100;
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
  ])('on %i microcredits, of ten calls for one credit at once %i is admitted', async (spendable, expected) => {
    const meter = await newMeter(spendable);
    const { admit } = metering(store, planOfRank);
    const outcomes = await Promise.all(times(10, (call) => outcomeOf(admit(attemptOn(meter, `call-${call}`)))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(expected);
    expect((await store.find(meter.accountId))?.spendable).toBe(spendable - expected * credits(1));
  });

  it('on an account that was opened this moment share its first month exactly', async () => {
    const account = await openLedgerAccount(database.url);
    const outcomes = await Promise.all(times(150, () => outcomeOf(account.call(credits(1), credits(1)))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(100);
    await account.close();
  });

  it(
    'at the highest rate that goes are admitted, or refused with 402, 429 or 503, and never overspend',
    async () => {
      const meter = await newMeter(credits(10_000));
      const { admit } = metering(store, planOfRank);
      const until = performance.now() + (long ? 30_000 : 2000);
      const outcomes = new Map<string, number>();
      let made = 0;
      async function hammer(): Promise<void> {
        while (performance.now() < until) {
          const request = `call-${(made += 1)}`;
          const outcome = await outcomeOf(
            admit(attemptOn(meter, request)).then((charge) => charge.settle(credits(1), start)),
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
      expect(outcomes.get('done')).toBeGreaterThan(100);
    },
    patience,
  );
});

describe('what callers see of one balance', () => {
  /** Calls of one credit at random moments; when each was sent and answered, and the balance it saw. */
  async function history(calls: number, reach: number) {
    const meter = await newMeter(credits(reach));
    const seen = await Promise.all(
      times(calls, async (call) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        const attempt = attemptOn(meter, `call-${call}`);
        const sent = performance.now();
        const after = await store.admit(attempt);
        const answered = performance.now();
        return { sent, answered, isAdmitted: verdictOn(after, attempt).is === 'admitted', spendable: after!.spendable };
      }),
    );
    return {
      admitted: seen.filter(({ isAdmitted }) => isAdmitted).toSorted((one, other) => other.spendable - one.spendable),
      refused: seen.filter(({ isAdmitted }) => !isAdmitted),
    };
  }

  it(
    'is one order of calls that fits real time: each sees one credit less, and a refused one nothing left',
    async () => {
      for (let run = 0; run < (long ? 1000 : 5); run++) {
        const { admitted, refused } = await history(200, 150);
        expect(admitted.map(({ spendable }) => spendable)).toEqual(times(150, (index) => credits(149 - index)));
        let latestSent = 0;
        for (const { sent, answered } of admitted) {
          expect(answered).toBeGreaterThan(latestSent);
          latestSent = Math.max(latestSent, sent);
        }
        for (const { answered, spendable } of refused) {
          expect(spendable).toBe(0);
          expect(answered).toBeGreaterThan(latestSent);
        }
      }
    },
    patience,
  );
});

describe('a hold', () => {
  const late = start + 151_000;

  /** Each way to end a call of which 3 of 4 held credits are due. */
  const ways = {
    settle: (meter: Meter, store: MeterStore) => settling(meter, store, credits(3)),
    void: (meter: Meter, store: MeterStore) => settling(meter, store, 0),
    sweep: (meter: Meter, store: MeterStore) => metering(store, planOfRank).current(meter.accountId, late),
    'late settle': (meter: Meter, store: MeterStore) => settling(meter, store, credits(2), late),
  };
  type Way = keyof typeof ways;
  const leaves: Record<Way, number> = { settle: 7, void: 10, sweep: 10, 'late settle': 8 };
  const pairs = (Object.keys(ways) as Way[]).flatMap((one, index, all) =>
    all.slice(index + 1).map((other): [Way, Way] => [one, other]),
  );

  async function settling(meter: Meter, store: MeterStore, cost: number, now = start): Promise<void> {
    const hold = (await store.find(meter.accountId))?.holds.get('call');
    if (!hold) return;
    await store.settle({
      accountId: meter.accountId,
      requestId: 'call',
      hold,
      cost,
      now,
      staleBuckets: [],
      expiryPassed: false,
    });
  }

  it.each(pairs)(
    'ends once when %s and %s race',
    async (one, other) => {
      for (let trial = 0; trial < (long ? 2000 : 50); trial++) {
        const meter = await newMeter(credits(10));
        await store.admit(attemptOn(meter, 'call', { amount: credits(4) }));
        const racers = trial % 2 === 0 ? [one, other] : [other, one];
        await Promise.all(racers.map((way) => ways[way](meter, store)));
        const after = await store.find(meter.accountId);
        expect(after).toMatchObject({ seq: meter.seq + 1, holds: new Map() });
        expect([credits(leaves[one]), credits(leaves[other])]).toContain(after?.spendable);
        expect((after?.used.chat ?? 0) + after!.spendable).toBe(credits(10));
      }
    },
    patience,
  );

  it(
    'tells who came first: of many settlements one is true, whatever they say',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 6 }), async (costs) => {
          const meter = await newMeter(credits(10));
          const hold = (await store.admit(attemptOn(meter, 'call', { amount: credits(4) })))!.holds.get('call')!;
          const about = {
            accountId: meter.accountId,
            requestId: 'call',
            hold,
            now: start,
            staleBuckets: [],
            expiryPassed: false,
          };
          const won = await Promise.all(costs.map((cost) => store.settle({ ...about, cost: credits(cost) })));
          expect(won.filter(Boolean)).toHaveLength(1);
          expect((await store.find(meter.accountId))?.spendable).toBe(credits(10 - costs[won.indexOf(true)]!));
        }),
        { numRuns: long ? 500 : 25 },
      );
    },
    patience,
  );
});

describe('a hundred at once', () => {
  let own: Awaited<ReturnType<typeof startTestDatabase>>;
  beforeAll(async () => {
    own = await startTestDatabase();
  });
  afterAll(() => own.close());

  it.each([
    ['subscriptions', (account: Account) => account.subscriptions.create(account.id, 'dev_pass'), 5100],
    ['upgrades', (account: Account) => account.subscriptions.upgrade(account.id, 'smm_pass'), 25_100],
    [
      'cancellations',
      (account: Account) =>
        account.subscriptions.current(account.id).then((shown) => account.subscriptions.cancel(account.id, shown!.id)),
      5100,
    ],
    ['renewals', (account: Account) => account.current(), 10_000],
    ['sweeps', (account: Account) => account.meters.sweep(account.clock.now()), 10_000],
  ])('%s happen once', async (what, act, expected) => {
    const account = await openLedgerAccount(own.url);
    if (what !== 'subscriptions') await account.subscriptions.create(account.id, 'dev_pass');
    if (what === 'renewals' || what === 'sweeps') account.clock.seconds = Date.UTC(2027, 3, 1) / 1000;
    const { seq } = (await account.meters.find(account.id))!;
    const outcomes = await Promise.all(times(100, () => outcomeOf(act(account))));
    const known = new Set(['done', 'ALREADY_SUBSCRIBED', 'INVALID_STATE', 'SERVICE_UNAVAILABLE']);
    expect(new Set(outcomes).difference(known)).toEqual(new Set());
    const after = await account.current();
    expect(after.spendable).toBe(credits(expected));
    expect(after.seq - seq).toBe(what === 'renewals' || what === 'sweeps' ? 2 : 1);
    await account.project();
    expect(auditLedger(await account.rows(after.seq), after.seq, balance(after))).toEqual([]);
    await account.close();
  });
});

type Account = Awaited<ReturnType<typeof openLedgerAccount>>;
