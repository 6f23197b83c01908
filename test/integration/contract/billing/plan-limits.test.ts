import { describe, expect, it } from 'vitest';
import { plansOf } from '#contract/billing/plans.ts';
import { planOverview } from '#contract/offer/default-offer.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { useTestDatabase } from '#test/database/database.ts';
import { atLength } from '#test/many.ts';
import { type LedgerAccount, useLedgerAccounts } from '#test/meter/ledger-account.ts';

describe('the plan limits of a metered account', () => {
  const openAccount = useLedgerAccounts(useTestDatabase());
  const open = () => openAccount({ plans: plansOf('overview') });

  /** Sends `count` calls of one microcredit, five at a time. Returns the refusals. */
  async function calls(account: LedgerAccount, count: number, cost = 1): Promise<ServiceError[]> {
    const refusals: ServiceError[] = [];
    for (let made = 0; made < count; made += 5) {
      const together = Array.from({ length: Math.min(5, count - made) }, () => account.call(1, cost));
      for (const outcome of await Promise.allSettled(together)) {
        if (outcome.status === 'fulfilled') continue;
        if (!(outcome.reason instanceof ServiceError)) throw outcome.reason;
        refusals.push(outcome.reason);
      }
    }
    return refusals;
  }

  it.each([
    ['freemium', 5],
    ['dev_pass', 20],
    ['smm_pass', 500],
    ['pro_pass', 500],
    ['enterprise', undefined],
  ])('allow %s its calls per minute, and report the limit: %s', async (plan, perMinute) => {
    const account = await open();
    await account.subscriptions.assign(account.id, plan);
    const openHold = await account.admit(1);
    expect(openHold.holding().rateLimit?.limit).toBe(perMinute);
  });

  it.each(atLength([5, 20], [5, 20, 500]))('allow %i calls in a minute', async (perMinute) => {
    const account = await open();
    const plan = planOverview.find(({ callsPerMinute }) => callsPerMinute === perMinute)!;
    await account.subscriptions.assign(account.id, plan.name);
    expect(await calls(account, perMinute)).toEqual([]);
    expect(await calls(account, 1)).toMatchObject([{ code: 'RATE_LIMIT_EXCEEDED' }]);
  });

  it('refuse calls with 402 and the reason after the monthly calls are used, until the next month', async () => {
    const account = await open();
    for (let minute = 0; minute < 2; minute++) {
      expect(await calls(account, 5)).toEqual([]);
      account.clock.seconds += 63;
    }
    const [refusal] = await calls(account, 1);
    expect(refusal).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      message: 'The plan allows 10 calls per month; upgrade the plan or wait for the next month.',
    });
    const before = await account.current();
    expect([before.callsThisMonth, before.spendable]).toEqual([10, 99_999_990]);
    account.clock.seconds = before.due;
    expect(await calls(account, 1)).toEqual([]);
    expect((await account.current()).callsThisMonth).toBe(1);
  });

  it('count running and charged calls, but not failed, crashed or refused ones', async () => {
    const account = await open();
    const counted = async () => (await account.current()).callsThisMonth;
    expect(await calls(account, 4, 0)).toEqual([]);
    expect(await counted()).toBe(0);
    await account.admit(1);
    expect(await calls(account, 3)).toHaveLength(3);
    expect(await counted()).toBe(1);
    account.clock.seconds += 150;
    expect(await counted()).toBe(0);
    expect(await calls(account, 5)).toEqual([]);
    expect(await counted()).toBe(5);
  });

  it('never admit more than the monthly calls, even with concurrent, failed or interrupted calls', async () => {
    const account = await open();
    for (let minute = 0; minute < 2; minute++, account.clock.seconds += 63) await calls(account, 4);
    const running = [await account.admit(1), await account.admit(1)];
    await expect(account.admit(1)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    account.clock.seconds = (await account.current()).due;
    for (const openHold of running) await openHold.settle(0, account.clock.now());
    for (let minute = 0; minute < 2; minute++, account.clock.seconds += 63) expect(await calls(account, 5)).toEqual([]);
    expect(await calls(account, 1)).toMatchObject([{ code: 'INSUFFICIENT_CREDITS' }]);
  });

  it('count the calls already made this month after an upgrade', async () => {
    const account = await open();
    await account.subscriptions.create(account.id, 'freemium');
    expect(await calls(account, 5)).toEqual([]);
    account.clock.seconds += 63;
    expect(await calls(account, 5)).toEqual([]);
    await account.subscriptions.upgrade(account.id, 'dev_pass');
    expect(await calls(account, 15)).toEqual([]);
    const after = await account.current();
    expect([after.callsThisMonth, after.callsPerMonth]).toEqual([25, 1000]);
  });
});
