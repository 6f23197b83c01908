import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Plans, planOfRank } from '#contract/plans.ts';
import { prices } from '#contract/prices.ts';
import { auditLedger } from '#domain/ledger.ts';
import { bringCurrent, grantCredits, openMeter } from '#domain/meter/billing.ts';
import { currentLots } from '#domain/meter/lots.ts';
import { balance, type Meter } from '#domain/meter/meter.ts';
import { startSubscription } from '#domain/meter/subscription-changes.ts';
import { meterOf, newMeterRow } from '#repositories/meter-item.ts';
import { startTestDatabase } from '#test/database.ts';
import { openLedgerAccount } from '#test/ledger-account.ts';
import { credits, start } from '#test/meters.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

describe('a settlement', () => {
  it('charges the cost, at most what was held, and gives the rest back in the same write', async () => {
    const account = await openLedgerAccount(database.url);
    await account.meters.change(account.id, account.clock.now(), (meter) =>
      grantCredits(meter, credits(1_000_000), account.clock.seconds),
    );
    const amount = fc.oneof(fc.nat(20), fc.nat(credits(100)), fc.nat(credits(900)));
    await fc.assert(
      fc.asyncProperty(amount, amount, async (held, cost) => {
        const before = await account.current();
        const charge = await account.admit(held);
        expect((await account.current()).spendable).toBe(before.spendable - held);
        await charge.settle(cost, account.clock.now());
        const after = await account.current();
        expect(before.spendable - after.spendable).toBe(Math.min(held, cost));
        expect((after.used.chat ?? 0) - (before.used.chat ?? 0)).toBe(Math.min(held, cost));
        expect([after.holds.size, after.seq]).toEqual([0, before.seq + 1]);
      }),
      { numRuns: 60 },
    );
    await account.close();
  });

  it('charges what was held by the terms of the admission, whatever becomes of the plan meanwhile', async () => {
    const account = await openLedgerAccount(database.url);
    const { id, clock, subscriptions } = account;
    const { id: subscription } = await subscriptions.create(id, 'dev_pass');
    const charges = [await account.admit(credits(10), 'translation'), await account.admit(credits(10), 'translation')];
    await subscriptions.upgrade(id, 'smm_pass');
    await charges[0]!.settle(credits(10), clock.now());
    await subscriptions.cancel(id, subscription);
    await charges[1]!.settle(credits(4), clock.now());
    const meter = await account.current();
    await account.project();
    const rows = (await account.rows(meter.seq)).filter(({ type }) => type === 'charge');
    expect(rows.map(({ amount, service, model, keyId }) => [amount, service, model, keyId])).toEqual([
      [-credits(10), 'translation', 'svc-1', 'key-1'],
      [-credits(4), 'translation', 'svc-1', 'key-1'],
    ]);
    expect(meter.spendable).toBe(credits(25_100 - 14));
    await account.close();
  });
});

describe('a grant whose reply was lost', () => {
  it.each(['top up', 'assignment', 'subscription', 'upgrade'])('is given once: %s', async (what) => {
    let lost = 0;
    const account = await openLedgerAccount(database.url, { fault: () => (lost-- > 0 ? 'lost reply' : 'none') });
    const { id, clock, meters, subscriptions } = account;
    if (what === 'upgrade') await subscriptions.create(id, 'dev_pass');
    const before = await account.current();
    // The read goes well or is repeated; of the write, the first reply at least is lost.
    lost = 3;
    if (what === 'top up')
      await meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(5000), clock.seconds));
    else if (what === 'assignment') await subscriptions.assign(id, 'dev_pass').then(undefined, () => undefined);
    else if (what === 'subscription') await subscriptions.create(id, 'dev_pass');
    else await subscriptions.upgrade(id, 'smm_pass');
    const after = await account.current();
    expect(after.spendable - before.spendable).toBe(credits(what === 'upgrade' ? 20_000 : 5000));
    expect(after.seq).toBe(before.seq + 1);
    await account.close();
  });
});

describe('amounts', () => {
  const enterprise = { planId: 'enterprise', plan: planOfRank(5) };
  const whole = (meter: Meter): boolean =>
    [meter.spendable, balance(meter), ...meter.lots.flatMap(({ granted, remaining }) => [granted, remaining])].every(
      (amount) => Number.isSafeInteger(amount) && amount >= 0,
    );

  it('are integers that a number holds exactly, also for a plan without a limit that is assigned again and again', () => {
    let settled = openMeter(1, start / 1000, planOfRank);
    const rows = [...settled.entries];
    for (let count = 0; count < 24; count++) {
      const now = start / 1000 + count * 5 * 86_400;
      settled =
        count % 3 === 2
          ? bringCurrent(settled.meter, now, planOfRank)
          : startSubscription(settled.meter, enterprise, 'sub', now, planOfRank);
      rows.push(...settled.entries);
      expect(whole(settled.meter)).toBe(true);
      expect(meterOf(newMeterRow(settled.meter, settled.entries)).spendable).toBe(settled.meter.spendable);
    }
    expect(rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(BigInt(balance(settled.meter)));
  });

  it('stay so whatever is granted, and the lots add up to the balance', () => {
    const huge = fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(huge, fc.array(fc.nat(100 * 86_400)), (grants, waits) => {
        let { meter } = openMeter(1, start / 1000, planOfRank);
        let now = start / 1000;
        for (const [index, granted] of grants.entries()) {
          ({ meter } = grantCredits(meter, granted, now));
          now += waits[index] ?? 0;
          ({ meter } = bringCurrent(meter, now, planOfRank as Plans));
          expect(whole(meter)).toBe(true);
          const lots = currentLots(meter).reduce((sum, { remaining }) => sum + BigInt(remaining), 0n);
          expect(lots).toBe(BigInt(balance(meter)));
        }
      }),
    );
  });

  it('of every price are a whole number of microcredits per unit', () => {
    for (const { credits: price, unitSize, unit } of Object.values(prices)) {
      expect(Number.isInteger(credits(price))).toBe(true);
      if (unit === 'token') expect(Number.isInteger(credits(price) / unitSize)).toBe(true);
    }
  });

  it('of the ledger say where they do not add up', () => {
    const row = { accountId: 1, type: 'grant', at: 0 } as const;
    const rows = [
      { ...row, seq: 1, amount: 5, balance: 5 },
      { ...row, seq: 2, amount: -2, balance: 4 },
    ];
    expect(auditLedger(rows, 2, 3)).toEqual(['row 2 says 4, the rows up to it add up to 3']);
    expect(auditLedger(rows.slice(1), 2, 3)).toEqual(['row 1 is missing: the next is 2']);
  });
});
