import { describe, expect, it, vi } from 'vitest';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const paidUntil = async (id: number): Promise<number> => (await world.meter(id)).subscription?.paidUntil ?? 0;

describe('a change of plan that reaches Stripe after the next month began', () => {
  it.each([
    ['upgrade', 'pro_pass', 29_999, 100_000],
    ['downgrade', 'dev_pass', 2999, 5000],
  ] as const)('%s to %s charges the new price', async (change, planId, price, credits) => {
    const id = await world.subscriber('smm_pass');
    const end = await paidUntil(id);
    await world.moveTo(end * 1000 - 60_000);
    world.stand.faults.order({ fault: 'error', count: 1000, path: '/v1/subscriptions/' });
    const { status } = await world.plans[change](id, planId);
    expect(status).toBe('active');
    await world.jump(120 / 86_400);
    expect(world.seconds()).toBeGreaterThan(end);
    world.stand.faults.clear();

    await world.move({ minutes: 10 });
    await world.move({ hours: 3 });

    const [renewal] = await world.orders(id);
    expect(renewal).toMatchObject({ kind: 'renewal', state: 'granted', cents: price, credits });
    expect(await world.plans.current(id)).toMatchObject({ planId, status: 'active' });
    expect((await world.meter(id)).subscription?.unpaidSince).toBeUndefined();
    await world.move({ days: 31 });
    expect((await world.orders(id))[0]).toMatchObject({ kind: 'renewal', state: 'granted', cents: price });
  });
});

it('a price that changes within the last hour is compared with the draft, even after another comparison', async () => {
  const id = await world.subscriber('smm_pass');
  const end = (await paidUntil(id)) * 1000;
  await world.moveTo(end - 30 * 60_000);
  await world.plans.downgrade(id, 'dev_pass');

  await world.move({ minutes: 6 });

  expect((await world.profile(id)).alignAt).toBe(end + 10 * 60_000);
});

it('a cancellation while the renewal is a draft voids it', async () => {
  const id = await world.subscriber();
  const end = await paidUntil(id);
  await world.moveTo(end * 1000 + 60_000);
  const { subscription = '' } = await world.profile(id);
  expect((await world.stripe.invoices.list({ subscription, status: 'draft' })).data).toHaveLength(1);

  await world.plans.cancel(id, (await world.plans.current(id))!.id);
  await world.drain();

  const { data } = await world.stripe.invoices.list({ subscription });
  expect(data.map(({ status }) => status)).toEqual(['void', 'paid']);
});

it('a plan that is resumed as its month ends is cancelled if no subscription can charge the next month', async () => {
  const id = await world.subscriber();
  await world.stripe.subscriptions.cancel((await world.profile(id)).subscription ?? '');
  await world.drain();
  const end = await paidUntil(id);
  await world.moveTo(end * 1000 - 1500);
  world.stand.faults.order({ fault: 'delay', delayMs: 300, method: 'POST', path: '/v1/subscriptions' });
  const resuming = world.plans.resume(id, (await world.plans.current(id))!.id);
  await vi.waitFor(() => expect(world.stand.faults.active()).toEqual([]));
  await world.jump(2 / 86_400);
  await resuming;
  await world.drain();

  expect(await world.plans.current(id)).toMatchObject({ status: 'cancelled' });
  const { customer = '' } = await world.profile(id);
  expect((await world.stripe.subscriptions.list({ customer })).data).toEqual([]);
  await world.plans.create(id, 'dev_pass');
  await world.move({ days: 10 });
  expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
});

describe('a plan that the offer ends', () => {
  it('is announced, then replaced, and Stripe charges the price of the replacement', async () => {
    // February is shorter than the notice of 30 days.
    await world.moveTo(Date.UTC(2027, 2, 10));
    const id = await world.subscriber('smm_pass');
    const end = world.seconds() + 40 * 86_400;
    world.sell(3, { end: { at: end, rank: 2 }, isSold: false });

    await world.move({ days: 31, hours: 3 });
    expect((await world.meter(id)).subscription?.replacedAt).toBeGreaterThanOrEqual(end);
    await world.move({ days: 31, hours: 3 });

    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
    expect((await world.orders(id)).map(({ kind, state, cents }) => [kind, state, cents])).toEqual([
      ['renewal', 'granted', 2999],
      ['renewal', 'granted', 9999],
      ['plan', 'granted', 9999],
    ]);
  });
});

it('a free plan after a refunded month is not past due', async () => {
  const id = await world.subscriber();
  const [order] = await world.orders(id);
  await world.moveTo(((await paidUntil(id)) - 86_400) * 1000);
  await world.script(order!.id, 'disputed');
  await world.plans.downgrade(id, 'freemium');

  await world.move({ days: 10 });

  expect(await world.plans.current(id)).toMatchObject({ planId: 'freemium', status: 'active' });
  expect((await world.meter(id)).subscription?.unpaidSince).toBeUndefined();
});

it('a payment for a plan that the offer no longer contains is refunded, and its subscription is cancelled', async () => {
  const id = await world.account();
  const { id: order } = await world.open(id, { planId: 'dev_pass' });
  await world.payments.store.save((await world.order(id, order))!, { planId: 'removed' });

  await world.script(order, 'paid');

  expect(await world.order(id, order)).toMatchObject({ state: 'refunded', failure: 'plan_ended' });
  expect(await world.charges(id)).toEqual([0]);
  const { customer = '' } = await world.profile(id);
  expect((await world.stripe.subscriptions.list({ customer })).data).toEqual([]);
});
