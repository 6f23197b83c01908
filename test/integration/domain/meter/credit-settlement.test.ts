import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals, grantCredits } from '#domain/billing/grants.ts';
import { metering } from '#domain/meter/metering.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { type Fault, faultyClient } from '#test/database/faulty-client.ts';
import { type LedgerAccount, useLedgerAccounts } from '#test/meter/ledger-account.ts';
import { credits } from '#test/meter/meters.ts';

const database = useTestDatabase();
const open = useLedgerAccounts(database);

describe('a settlement', () => {
  it('charges the cost, at most the hold, and releases the rest in the same write', async () => {
    const account = await open();
    await account.meters.change(account.id, account.clock.now(), (meter) =>
      grantCredits(meter, credits(1_000_000), account.clock.seconds),
    );
    const amount = fc.oneof(fc.nat(20), fc.nat(credits(100)), fc.nat(credits(900)));
    await fc.assert(
      fc.asyncProperty(amount, amount, async (held, cost) => {
        const before = await account.current();
        const openHold = await account.admit(held);
        expect((await account.current()).spendable).toBe(before.spendable - held);
        await openHold.settle(cost, account.clock.now());
        const after = await account.current();
        expect(before.spendable - after.spendable).toBe(Math.min(held, cost));
        expect((after.used.chat ?? 0) - (before.used.chat ?? 0)).toBe(Math.min(held, cost));
        expect([after.holds.size, after.seq]).toEqual([0, before.seq + 1]);
      }),
      { numRuns: 60 },
    );
  });

  it('charges by the terms of its admission, even if the plan has changed since', async () => {
    const account = await open();
    const { id, clock, subscriptions } = account;
    const { id: subscription } = await subscriptions.create(id, 'dev_pass');
    const openHolds = [
      await account.admit(credits(10), 'translation'),
      await account.admit(credits(10), 'translation'),
    ];
    await subscriptions.upgrade(id, 'smm_pass');
    await openHolds[0]!.settle(credits(10), clock.now());
    await subscriptions.cancel(id, subscription);
    await openHolds[1]!.settle(credits(4), clock.now());
    const meter = await account.current();
    await account.project();
    const rows = (await account.rows(meter.seq)).filter(({ type }) => type === 'charge');
    expect(rows.map(({ amount, service, model, keyId }) => [amount, service, model, keyId])).toEqual([
      [-credits(10), 'translation', 'svc-1', 'key-1'],
      [-credits(4), 'translation', 'svc-1', 'key-1'],
    ]);
    expect(meter.spendable).toBe(credits(25_100 - 14));
  });
});

describe('a call that runs across the end of a month', () => {
  /** Admits a call 10 s before the month ends and settles it 10 s after. Returns the account. */
  async function acrossTheMonth(meanwhile: (account: LedgerAccount) => Promise<unknown>) {
    const account = await open();
    await account.subscriptions.create(account.id, 'dev_pass');
    await account.call(credits(9), credits(9));
    const { due } = await account.current();
    account.clock.seconds = due - 10;
    const openHold = await account.admit(credits(50));
    account.clock.seconds = due + 10;
    await meanwhile(account);
    await openHold.settle(credits(30), account.clock.now());
    const shown = await account.subscriptions.current(account.id);
    const { used, spendable, callsThisMonth, seq } = await account.current();
    await account.project();
    const types = (await account.rows(seq)).map(({ type }) => type);
    return { creditsUsed: shown?.creditsUsed, used, spendable, callsThisMonth, types };
  }

  it.each<[string, (account: LedgerAccount) => Promise<unknown>]>([
    ['the account has not been read since', () => Promise.resolve()],
    ['another call has ended the month', (account) => account.current()],
    ['a sweep has ended the month', (account) => account.meters.sweep(account.clock.now())],
  ])('is charged, counted and displayed in the month of its settlement, if %s', async (_, meanwhile) => {
    expect(await acrossTheMonth(meanwhile)).toEqual({
      creditsUsed: 30,
      used: { chat: credits(30) },
      spendable: credits(5000 + 5000),
      callsThisMonth: 1,
      types: ['grant', 'grant', 'charge', 'expiry', 'grant', 'charge', 'expiry'],
    });
  });
});

describe('a grant with a lost response', () => {
  const grants: Record<string, [act: (account: LedgerAccount) => Promise<unknown>, credits: number]> = {
    'a top-up': [
      ({ id, clock, meters }) =>
        meters.change(id, clock.now(), (meter) => grantCredits(meter, credits(70), clock.seconds)),
      70,
    ],
    'an assignment': [({ id, subscriptions }) => subscriptions.assign(id, 'dev_pass'), 5000],
    'a subscription': [({ id, subscriptions }) => subscriptions.create(id, 'dev_pass'), 5000],
    'an upgrade': [({ id, subscriptions }) => subscriptions.upgrade(id, 'smm_pass'), 24_900],
  };

  it.each(Object.keys(grants))('is applied once and returns the usual response: %s', async (name) => {
    const [act, granted] = grants[name]!;
    const faults: Fault[] = [];
    const account = await open({ fault: () => faults.shift() ?? 'none' });
    if (name === 'an upgrade') await account.subscriptions.create(account.id, 'freemium');
    const before = await account.current();
    faults.push('none', 'lost reply', 'lost reply');
    await act(account);
    expect(faults).toEqual([]);
    const after = await account.current();
    expect([after.spendable - before.spendable, after.seq - before.seq]).toEqual([credits(granted), 1]);
  });

  it('is recognized by its marker on a retry, even after other changes of the account', async () => {
    const account = await open();
    const store = meterStore(database.client, 'meters', ambient.random);
    const topUp = (id: number, whole: number) =>
      account.meters.change(id, account.clock.now(), (meter) =>
        grantCredits(meter, credits(whole), account.clock.seconds),
      );
    let others = 0;
    const faults: Fault[] = ['none', 'lost reply'];
    const slow = faultyClient(database.url, () => {
      const fault = faults.shift() ?? 'none';
      others += fault === 'lost reply' ? 1 : 0;
      return fault;
    });
    slow.client.middlewareStack.add(
      (next) => async (args) => {
        if (others > 0 && others < 3) {
          others += 1;
          await topUp(account.id, 5);
        }
        return next(args);
      },
      { step: 'deserialize', priority: 'low' },
    );
    const { change } = metering(meterStore(slow.client, 'meters', ambient.random), renewals(planOfRank));
    await change(account.id, account.clock.now(), (meter) => grantCredits(meter, credits(70), account.clock.seconds));
    const after = await store.find(account.id);
    expect(others).toBeGreaterThan(1);
    expect(after?.spendable).toBe(credits(100 + 70 + 5 * (others - 1)));
    slow.client.destroy();
  });
});
