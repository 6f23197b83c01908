import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { meterShards } from '#contract/platform/resources.ts';
import { renewals } from '#domain/billing/grants.ts';
import { type MeterStore, balance, type Meter } from '#domain/meter/meter.ts';
import { metering } from '#domain/meter/metering.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength, outcomeOf, patience, times } from '#test/many.ts';
import { auditLedger } from '#test/meter/audit-ledger.ts';
import { type LedgerAccount, useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { useMeters } from '#test/meter/meter-store.ts';
import { attemptOn, credits, meterWith, putMeter, start } from '#test/meter/meters.ts';

const { database, store } = useMeters();

const newMeter = (spendable: number) => putMeter(database.client, meterWith(spendable));

describe('a hold', () => {
  const late = start + 151_000;

  /** Each way to end a call that is charged 3 of its 4 held credits. */
  const ways = {
    settle: (meter: Meter, store: MeterStore) => settling(meter, store, credits(3)),
    void: (meter: Meter, store: MeterStore) => settling(meter, store, 0),
    sweep: (meter: Meter, store: MeterStore) => metering(store, renewals(planOfRank)).current(meter.accountId, late),
    'late settle': (meter: Meter, store: MeterStore) => settling(meter, store, credits(2), late),
  };
  type Way = keyof typeof ways;
  const leaves: Record<Way, number> = { settle: 7, void: 10, sweep: 10, 'late settle': 8 };
  const pairs = (Object.keys(ways) as Way[]).flatMap((one, index, all) =>
    all.slice(index + 1).map((other): [Way, Way] => [one, other]),
  );

  const about = { requestId: 'call', staleBuckets: [], expiryPassed: false };

  async function settling(meter: Meter, store: MeterStore, cost: number, now = start): Promise<void> {
    const hold = (await store.find(meter.accountId))?.holds.get('call');
    if (!hold) return;
    await store.settle({ ...about, accountId: meter.accountId, hold, cost, now });
  }

  it.each(pairs)(
    'ends once if %s and %s are concurrent',
    async (one, other) => {
      for (let trial = 0; trial < atLength(6, 2000); trial++) {
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
    'is settled by exactly one of many concurrent settlements, whatever they charge',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 6 }), async (costs) => {
          const meter = await newMeter(credits(10));
          await store.admit(attemptOn(meter, 'call', { amount: credits(4) }));
          const hold = (await store.find(meter.accountId))!.holds.get('call')!;
          const call = { ...about, accountId: meter.accountId, hold, now: start };
          const won = await Promise.all(costs.map((cost) => store.settle({ ...call, cost: credits(cost) })));
          expect(won.filter(Boolean)).toHaveLength(1);
          expect((await store.find(meter.accountId))?.spendable).toBe(credits(10 - costs[won.indexOf(true)]!));
        }),
        { numRuns: atLength(15, 500) },
      );
    },
    patience,
  );
});

describe('concurrent', () => {
  const open = useLedgerAccounts(useTestDatabase());
  const sweepOwnShard = ({ id, clock, meters }: LedgerAccount) =>
    meters.sweep(clock.now(), { shards: [id % meterShards] });

  it.each([
    ['subscriptions', (account: LedgerAccount) => account.subscriptions.create(account.id, 'dev_pass'), 5100],
    ['upgrades', (account: LedgerAccount) => account.subscriptions.upgrade(account.id, 'smm_pass'), 25_100],
    [
      'cancellations',
      (account: LedgerAccount) =>
        account.subscriptions.current(account.id).then((shown) => account.subscriptions.cancel(account.id, shown!.id)),
      5100,
    ],
    ['renewals', (account: LedgerAccount) => account.current(), 10_000],
    ['sweeps', sweepOwnShard, 10_000],
  ])('%s take effect once', async (what, act, expected) => {
    const account = await open();
    if (what !== 'subscriptions') await account.subscriptions.create(account.id, 'dev_pass');
    if (what === 'renewals' || what === 'sweeps') account.clock.seconds = Date.UTC(2027, 3, 1) / 1000;
    const { seq } = (await account.meters.find(account.id))!;
    const together = atLength(20, 100);
    const outcomes = await Promise.all(times(together, () => outcomeOf(act(account))));
    const known = new Set(['done', 'ALREADY_SUBSCRIBED', 'INVALID_STATE', 'SERVICE_UNAVAILABLE']);
    expect(new Set(outcomes).difference(known)).toEqual(new Set());
    const after = await account.current();
    expect(after.spendable).toBe(credits(expected));
    expect(after.seq - seq).toBe(what === 'renewals' || what === 'sweeps' ? 2 : 1);
    await account.project();
    expect(auditLedger(await account.rows(after.seq), after.seq, balance(after))).toEqual([]);
  });
});
