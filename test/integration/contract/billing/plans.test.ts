import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPlan, monthlyGrant, type PlanTable, planListing, planOverview, plansOf } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { startTestDatabase } from '#test/database.ts';
import { openLedgerAccount } from '#test/ledger-account.ts';
import { atLength } from '#test/many.ts';

describe('the tables of the specification', () => {
  it('are the listing, value by value', () => {
    expect(
      planListing.map(({ name, quota_limit, rate_limit, price }) => [name, quota_limit, rate_limit, price]),
    ).toEqual([
      ['freemium', 100, 10, 0],
      ['dev_pass', 5000, 100, 29.99],
      ['smm_pass', 25_000, 500, 99.99],
      ['pro_pass', 100_000, 2000, 299.99],
      ['enterprise', null, null, null],
    ]);
  });

  it('are the overview, value by value, null where it gives none', () => {
    expect(
      planOverview.map(({ name, price, callsPerMonth, callsPerMinute }) => [
        name,
        price,
        callsPerMonth,
        callsPerMinute,
      ]),
    ).toEqual([
      ['freemium', 0, 10, 5],
      ['dev_pass', 19, 1000, 20],
      ['smm_pass', 129, 10_000, null],
      ['pro_pass', 399, 100_000, 500],
      ['enterprise', null, null, null],
    ]);
  });

  it('are the prices, each in credits per unit', () => {
    const stated = ['translation', 'text_analysis', 'audio', 'chat', 'voice_call', 'sms'] as const;
    expect(stated.map((service) => [service, prices[service].unitSize, prices[service].credits])).toEqual([
      ['translation', 100, 10],
      ['text_analysis', 1, 5],
      ['audio', 1000, 50],
      ['chat', 1, 1],
      ['voice_call', 1, 2],
      ['sms', 1, 2],
    ]);
  });
});

describe('what is enforced', () => {
  const limits = (table: PlanTable) =>
    [1, 2, 3, 4, 5].map((rank) => {
      const plan = plansOf(table)(rank);
      return [plan.name, monthlyGrant(plan), plan.callsPerMonth, plan.callsPerMinute, plan.callsInFlight];
    });

  it('is the listing: credits per month and calls per minute', () => {
    expect(limits('listing')).toEqual([
      ['freemium', 100, null, 10, 5],
      ['dev_pass', 5000, null, 100, 20],
      ['smm_pass', 25_000, null, 500, 50],
      ['pro_pass', 100_000, null, 2000, 100],
      ['enterprise', 1_000_000_000, null, null, 1000],
    ]);
  });

  it('or the overview: calls per month and per minute, and the listing where it gives no value', () => {
    expect(limits('overview')).toEqual([
      ['freemium', 100, 10, 5, 5],
      ['dev_pass', 5000, 1000, 20, 20],
      ['smm_pass', 25_000, 10_000, 500, 50],
      ['pro_pass', 100_000, 100_000, 500, 100],
      ['enterprise', 1_000_000_000, null, null, 1000],
    ]);
  });

  it('names each plan by its name and by its id, and nothing else', () => {
    for (const { id, name } of planListing) {
      expect([findPlan(name)?.rank, findPlan(String(id))?.rank]).toEqual([id, id]);
    }
    for (const other of ['', '0', '6', '01', ' 1', 'Freemium', 'constructor']) expect(findPlan(other)).toBeUndefined();
  });
});

describe('the overview on a meter', () => {
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
  beforeAll(async () => {
    database = await startTestDatabase();
  });
  afterAll(() => database.close());

  const open = () => openLedgerAccount(database.url, { plans: plansOf('overview') });
  type Account = Awaited<ReturnType<typeof open>>;

  /** Makes so many calls of one microcredit, five at a time; the refusals. */
  async function calls(account: Account, count: number, cost = 1): Promise<ServiceError[]> {
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
  ])('lets %s make so many calls in a minute, and names the limit: %s', async (plan, perMinute) => {
    const account = await open();
    await account.subscriptions.assign(account.id, plan);
    const charge = await account.admit(1);
    expect(charge.holding().rateLimit?.limit).toBe(perMinute);
    await account.close();
  });

  it.each(atLength([5, 20], [5, 20, 500]))('keeps a limit of %i calls in a minute', async (perMinute) => {
    const account = await open();
    const plan = planOverview.find(({ callsPerMinute }) => callsPerMinute === perMinute)!;
    await account.subscriptions.assign(account.id, plan.name);
    expect(await calls(account, perMinute)).toEqual([]);
    expect(await calls(account, 1)).toMatchObject([{ code: 'RATE_LIMIT_EXCEEDED' }]);
    await account.close();
  });

  it('refuses with 402 once the calls of the month are used, with that reason, and admits them again with the next month', async () => {
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
    await account.close();
  });

  it('counts a call while it runs and once it is charged, and none that fails, dies or is refused', async () => {
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
    await account.close();
  });

  it('never admits more calls than the month has, however many fail, are cut off by its end or run concurrently', async () => {
    const account = await open();
    for (let minute = 0; minute < 2; minute++, account.clock.seconds += 63) await calls(account, 4);
    const running = [await account.admit(1), await account.admit(1)];
    await expect(account.admit(1)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    account.clock.seconds = (await account.current()).due;
    for (const charge of running) await charge.settle(0, account.clock.now());
    for (let minute = 0; minute < 2; minute++, account.clock.seconds += 63) expect(await calls(account, 5)).toEqual([]);
    expect(await calls(account, 1)).toMatchObject([{ code: 'INSUFFICIENT_CREDITS' }]);
    await account.close();
  });

  it('lets a larger plan count on from the calls already made', async () => {
    const account = await open();
    await account.subscriptions.create(account.id, 'freemium');
    expect(await calls(account, 5)).toEqual([]);
    account.clock.seconds += 63;
    expect(await calls(account, 5)).toEqual([]);
    await account.subscriptions.upgrade(account.id, 'dev_pass');
    expect(await calls(account, 15)).toEqual([]);
    const after = await account.current();
    expect([after.callsThisMonth, after.callsPerMonth]).toEqual([25, 1000]);
    await account.close();
  });
});
