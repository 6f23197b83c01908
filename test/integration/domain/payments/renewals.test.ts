import { describe, expect, it } from 'vitest';
import { patience, someOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const tenDays = 10 * 86_400;

describe('a year of renewals', () => {
  it.each(someOf(['2028-01-31T10:00:00Z', '2029-03-30T23:59:59Z'], 1, Date.now()))(
    'from %s grants each month once',
    async (start) => {
      await world.moveTo(Date.parse(start));
      const id = await world.subscriber('dev_pass');
      const anchor = world.seconds();
      for (let month = 1; month <= 12; month++) {
        await world.move({ days: 31 });
        // The hour in which the invoice is a draft.
        if ((await world.meter(id)).subscription?.unpaidSince !== undefined) await world.move({ hours: 2 });
        const { subscription, period } = await world.meter(id);
        const { items } = await world.stripe.subscriptions.retrieve((await world.profile(id)).subscription!);
        expect([subscription?.paidUntil, period.anchor]).toEqual([items.data[0]?.current_period_end, anchor]);
        expect(subscription?.unpaidSince).toBeUndefined();
      }
      const orders = await world.orders(id);
      const periods = orders.map(({ period }) => period!.start).toReversed();
      expect(new Set(periods).size).toBe(periods.length);
      expect(orders.every(({ state }) => state === 'granted')).toBe(true);
      expect(await world.charges(id)).toEqual(periods.map(() => 2999));
    },
    patience,
  );
});

/** A subscriber whose renewal the bank refuses, at the moment at which the month begins. */
async function pastDue(planId = 'dev_pass') {
  const id = await world.subscriber(planId);
  const { subscription = '' } = await world.profile(id);
  const { paidUntil = 0 } = (await world.meter(id)).subscription!;
  await world.stand.script(subscription, 'failed');
  await world.moveTo(paidUntil * 1000);
  await world.move({ hours: 2 });
  expect((await world.meter(id)).subscription).toMatchObject({ unpaidSince: paidUntil, status: 'active' });
  return { id, subscription, paidUntil };
}

describe('a month that is not paid', () => {
  it.each([1, 6])("keeps the plan's limits without new credits until it is paid, on day %i", async (day) => {
    const { id, subscription, paidUntil } = await pastDue();
    const renewalPendingSince = new Date(paidUntil * 1000).toISOString();
    expect(await world.plans.current(id)).toMatchObject({ renewalPendingSince });
    await world.moveTo((paidUntil + day * 86_400 + 60) * 1000);
    const pending = await world.plans.current(id);
    expect(pending).toMatchObject({ pastDue: { since: renewalPendingSince, reason: 'payment_due' } });
    expect(pending).not.toHaveProperty('renewalPendingSince');
    expect([await world.granted(id, 'plan'), (await world.meter(id)).planRank]).toEqual([5000, 2]);

    await world.script(subscription, 'paid');

    const meter = await world.meter(id);
    expect(meter.subscription).toMatchObject({ status: 'active' });
    expect(meter.subscription?.unpaidSince).toBeUndefined();
    expect([await world.granted(id, 'plan'), await world.charges(id)]).toEqual([10_000, [2999, 2999]]);
    await world.moveTo((paidUntil + tenDays) * 1000);
    expect((await world.meter(id)).planRank).toBe(2);
  });

  it('ends the plan after 7 days, keeps its credits for 30 more days, and refunds a later payment', async () => {
    const { id, subscription, paidUntil } = await pastDue();
    const [renewal] = (await world.stripe.invoices.list({ subscription, status: 'open' })).data;
    await world.moveTo((paidUntil + 7 * 86_400 - 60) * 1000);
    expect((await world.meter(id)).planRank).toBe(2);
    await world.moveTo((paidUntil + 7 * 86_400 + 60) * 1000);

    const meter = await world.meter(id);
    expect([meter.planRank, meter.subscription?.status]).toEqual([1, 'cancelled']);
    const plan = meter.lots.filter(({ source }) => source === 'plan');
    expect(plan.every(({ expiresAt }) => expiresAt <= paidUntil + 37 * 86_400)).toBe(true);
    await world.moveTo((paidUntil + 8 * 86_400) * 1000);

    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
    expect((await world.stripe.invoices.retrieve(renewal!.id)).status).toBe('void');
    await expect(world.script(renewal!.id, 'paid')).rejects.toThrow(/cannot happen|not open|No /);
    expect(await world.charges(id)).toEqual([2999]);
  });

  it('is refunded if it is paid at Stripe after the plan has ended', async () => {
    const { id, subscription, paidUntil } = await pastDue();
    // Stripe cannot be told that the plan has ended.
    world.stand.faults.order({ fault: 'error', count: 10_000, method: 'POST', path: '/v1/invoices/' });
    await world.moveTo((paidUntil + 7 * 86_400 + 60) * 1000);
    expect((await world.meter(id)).planRank).toBe(1);

    await world.script(subscription, 'paid');
    world.stand.faults.clear();

    expect(await world.orders(id)).toContainEqual(
      expect.objectContaining({ kind: 'renewal', state: 'refunded', failure: 'plan_ended' }),
    );
    expect([await world.charges(id), await world.granted(id, 'plan')]).toEqual([[0, 2999], 5000]);
    await world.move({ days: 1 });
    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
  });

  it('ends immediately if the plan is cancelled, and is not charged again', async () => {
    const { id, subscription } = await pastDue();
    await world.plans.cancel(id, (await world.plans.current(id))!.id);
    await world.drain();

    expect((await world.meter(id)).planRank).toBe(1);
    expect(await world.collected(id)).toMatchObject({ status: 'canceled' });
    expect((await world.stripe.invoices.list({ subscription, status: 'open' })).data).toEqual([]);
    await world.move({ days: 8 });
    expect(await world.charges(id)).toEqual([2999]);
  });

  it('ends immediately if Stripe has ended the subscription, and cannot be paid', async () => {
    const { id, subscription } = await pastDue();
    await world.stripe.subscriptions.cancel(subscription);
    await world.drain();
    expect((await world.meter(id)).planRank).toBe(1);
    expect((await world.stripe.invoices.list({ subscription, status: 'open' })).data).toEqual([]);
  });

  it('cannot be upgraded', async () => {
    const { id } = await pastDue();
    await expect(world.plans.upgrade(id, 'smm_pass')).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('is granted by the next alignment if its events were lost', async () => {
    const id = await world.subscriber();
    const { paidUntil = 0 } = (await world.meter(id)).subscription!;
    world.stand.faults.order({ fault: 'event_dropped', count: 1000 });
    await world.moveTo((paidUntil + 4 * 3600) * 1000);
    world.stand.faults.clear();

    expect((await world.meter(id)).subscription?.unpaidSince).toBeUndefined();
    expect([await world.granted(id, 'plan'), await world.charges(id)]).toEqual([10_000, [2999, 2999]]);
  });
});
