import { describe, expect, it } from 'vitest';
import { outcomeOf } from '#test/many.ts';
import { refusedPayments, small } from '#test/payments/paying-service.ts';
import { usePayingWorld, type World } from '#test/payments/paying-world.ts';
import { cardFields, postForm } from '#test/payments/stripe-server.ts';

const world: World = usePayingWorld();
const plan = { planId: 'dev_pass' };

const latest = async (id: number, kind: string) => (await world.orders(id)).find((order) => order.kind === kind)!;

async function running(id: number): Promise<string[]> {
  const { customer = '' } = await world.profile(id);
  return (await world.stripe.subscriptions.list({ customer })).data.map((one) => one.id);
}

describe('a price that is partly paid from the balance at Stripe', () => {
  const addCredit = async (id: number) => {
    const { customer = '' } = await world.profile(id);
    await world.stripe.customers.createBalanceTransaction(customer, { amount: -2000, currency: 'usd' });
    return async () => world.stripe.customers.retrieve(customer);
  };

  it('is refunded to the card and to the balance if the plan cannot be granted', async () => {
    const id = await world.cardholder();
    const pages = [await world.open(id, plan), await world.open(id, plan)] as const;
    await world.script(pages[0].id, 'paid');
    const customer = await addCredit(id);

    await world.script(pages[1].id, 'paid');

    expect(await world.charges(id)).toEqual([0, small.cents, 2999]);
    expect(await customer()).toMatchObject({ balance: -2000 });
  });

  it('keeps the share of the balance once the card’s part is refunded', async () => {
    const id = await world.subscriber();
    await addCredit(id);
    await world.move({ days: 31, hours: 4 });
    const before = await world.balance(id);
    const { provider } = await latest(id, 'renewal');

    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '' });
    await world.drain();

    expect(before - (await world.balance(id))).toBeCloseTo((5000 * 999) / 2999, 5);
    expect(await world.plans.current(id)).not.toHaveProperty('pastDue');
  });
});

describe('an early fraud warning', () => {
  it('for a renewal refunds it, takes back its credits and blocks purchases', async () => {
    const id = await world.subscriber();
    await world.move({ days: 31, hours: 4 });
    const { provider, id: renewal } = await latest(id, 'renewal');

    await world.script(provider.payment ?? '', 'fraud_warning');

    expect(await world.order(id, renewal)).toMatchObject({ state: 'refunded', failure: 'fraud_warning' });
    expect(await world.charges(id)).toEqual([0, 2999]);
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
  });

  it('is handled again if the refund fails', async () => {
    const id = await world.cardholder();
    const { id: order } = await latest(id, 'pack');
    world.stand.faults.order({ fault: 'rate_limit', path: '/v1/refunds', method: 'POST' });

    await world.script(order, 'fraud_warning');

    expect(world.stand.faults.active()).toEqual([]);
    expect(await world.order(id, order)).toMatchObject({ state: 'refunded', failure: 'fraud_warning' });
    expect(await world.charges(id)).toEqual([0]);
  });
});

describe('a payment that cannot be granted', () => {
  /** A second plan that was paid with a card whose bank disputes it at once. */
  async function disputedSecond() {
    const id = await world.account();
    const [first, second] = [await world.open(id, plan), await world.open(id, plan)];
    await world.script(first.id, 'paid');
    await postForm(second.url, cardFields('4000000000000259'));
    await world.drain();
    return { id, order: second.id };
  }

  it('is not refunded if it is disputed, and its subscription is cancelled', async () => {
    const { id, order } = await disputedSecond();

    expect(await world.order(id, order)).toMatchObject({
      state: 'disputed',
      failure: 'already_subscribed',
      refundedCents: 0,
      disputedCents: 2999,
    });
    expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    await world.script(order, 'lost');
    expect(await world.order(id, order)).toMatchObject({ state: 'disputed' });
    expect((await world.plans.current(id))?.status).toBe('active');
  });

  it('raises the alarm if its dispute is won and Stripe refuses the refund', async () => {
    const { id, order } = await disputedSecond();
    const refused = refusedPayments();

    await world.script(order, 'won');

    expect(refused.count()).toBeGreaterThan(0);
    refused.restore();
    expect(await world.granted(id, 'plan')).toBe(5000);
    expect(await world.order(id, order)).toMatchObject({ state: 'disputed', failure: 'already_subscribed' });
  });

  it('raises the alarm if its refund fails', async () => {
    const id = await world.account();
    const [first, second] = [await world.open(id, plan), await world.open(id, plan)];
    await world.script(first.id, 'paid');
    await world.script(second.id, 'paid');
    const { provider } = (await world.order(id, second.id))!;
    const { data } = await world.stripe.refunds.list({ payment_intent: provider.payment ?? '' });
    const refused = refusedPayments();

    await world.script(data[0]!.id, 'refund_failed');

    expect(refused.count()).toBeGreaterThan(0);
    refused.restore();
    expect(await world.order(id, second.id)).toMatchObject({ state: 'refunded' });
    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '' });
  });
});

describe('a refund or dispute of an upgrade', () => {
  it('undoes it, and applies it again if the dispute is won', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'pro_pass');
    const { id: order } = await latest(id, 'upgrade');
    const { lots } = await world.meter(id);

    await world.script(order, 'disputed');

    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
    expect([await world.granted(id, 'plan'), (await world.meter(id)).planRank]).toEqual([5000, 2]);
    expect(await world.collected(id)).toMatchObject({ cents: 2999, ends: false });

    await world.script(order, 'won');

    expect(await world.plans.current(id)).toMatchObject({ planId: 'pro_pass', status: 'active' });
    expect((await world.meter(id)).lots).toEqual(lots);
    expect(await world.collected(id)).toMatchObject({ cents: 29_999 });
  });

  it('undoes it even if its credits were spent, but not after the next month was paid', async () => {
    const [spent, renewed] = [await world.subscriber('dev_pass'), await world.subscriber('dev_pass')];
    for (const id of [spent, renewed]) await world.plans.upgrade(id, 'smm_pass');
    await world.leave(spent, 0);
    await world.script((await latest(spent, 'upgrade')).id, 'refunded');
    expect((await world.meter(spent)).planRank).toBe(2);
    expect(await world.order(spent, (await latest(spent, 'upgrade')).id)).toMatchObject({ state: 'refunded' });

    await world.move({ days: 31, hours: 4 });
    await world.script((await latest(renewed, 'upgrade')).id, 'refunded');
    expect((await world.meter(renewed)).planRank).toBe(3);
  });

  it('keeps it if it is partial', async () => {
    const id = await world.subscriber('dev_pass');
    await world.plans.upgrade(id, 'smm_pass');
    const { provider } = await latest(id, 'upgrade');
    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '', amount: 100 });
    await world.drain();
    expect((await world.meter(id)).planRank).toBe(3);
  });
});

describe('a renewal after an unpaid gap', () => {
  const changePaidUntil = (id: number, paidUntil: number) =>
    world.metering.change(id, world.now(), (meter) => ({
      meter: { ...meter, subscription: { ...meter.subscription!, paidUntil }, seq: meter.seq + 1 },
      entries: [],
    }));

  async function waiting() {
    const id = await world.subscriber();
    const end = (await world.meter(id)).subscription?.paidUntil ?? 0;
    await changePaidUntil(id, end - 86_400);
    await world.moveTo((end + 3 * 3600) * 1000);
    const { id: order, provider } = await latest(id, 'renewal');
    expect(await world.order(id, order)).toMatchObject({ state: 'paid', failure: 'gap' });
    return { id, end, order, payment: provider.payment ?? '' };
  }

  it('stays paid and reported after a dispute is won, and is granted once the gap is closed', async () => {
    const { id, end, order, payment } = await waiting();

    await world.script(payment, 'disputed');
    await world.script(payment, 'won');

    expect(await world.order(id, order)).toMatchObject({ state: 'paid', failure: 'gap' });
    expect(await world.granted(id, 'plan')).toBe(5000);
    await changePaidUntil(id, end);
    await world.move({ minutes: 10 });
    expect([(await world.order(id, order))?.state, await world.granted(id, 'plan')]).toEqual(['granted', 10_000]);
    await world.stripe.refunds.create({ payment_intent: payment, amount: 1 }).catch(() => undefined);
    await world.drain();
    expect(await world.order(id, order)).toMatchObject({ state: 'granted' });
  });

  it('grants only the part that was not refunded while it waited', async () => {
    const { id, end, order, payment } = await waiting();
    await world.stripe.refunds.create({ payment_intent: payment, amount: 1500 });
    await world.drain();
    expect(await world.order(id, order)).toMatchObject({ state: 'paid', failure: 'gap', refundedCents: 1500 });

    await changePaidUntil(id, end);
    await world.move({ minutes: 10 });

    const taken = Math.floor((5000 * 1_000_000 * 1500) / 2999);
    expect(await world.order(id, order)).toMatchObject({ state: 'granted', taken });
    expect(await world.granted(id, 'plan')).toBe(10_000 - taken / 1_000_000);
  });

  it('blocks purchases after an early fraud warning', async () => {
    const { id, order, payment } = await waiting();

    await world.script(payment, 'fraud_warning');

    expect(await world.order(id, order)).toMatchObject({ state: 'refunded', failure: 'fraud_warning' });
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
  });

  it('is granted after a fraud warning whose dispute is won', async () => {
    const { id, end, order, payment } = await waiting();

    await world.script(payment, 'disputed');
    await world.payments.settlement.returnFraud({ accountId: id, id: order });
    await world.script(payment, 'won');

    expect(await world.order(id, order)).toMatchObject({ state: 'paid', failure: 'fraud_warning' });
    expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
    await changePaidUntil(id, end);
    await world.move({ minutes: 10 });
    expect([(await world.order(id, order))?.state, await world.granted(id, 'plan')]).toEqual(['granted', 10_000]);
  });
});

it('a refund for a purged account is stored', async () => {
  const id = await world.cardholder();
  const { id: order } = await latest(id, 'pack');
  await world.purge(id);

  await world.script(order, 'refunded');

  expect(await world.order(id, order)).toMatchObject({ state: 'refunded', refundedCents: small.cents });
});

it('the reconciliation continues after an event that cannot be handled', async () => {
  const id = await world.account();
  const { id: order } = await world.open(id);
  world.stand.faults.order({ fault: 'events_held' });
  await world.stand.script(order, 'paid');
  world.stand.faults.order({ fault: 'error', count: 3, method: 'GET', path: '/v1/checkout/sessions/' });

  const { differences } = await world.payments.reconciliation.fromProvider(world.now() - 60_000);

  expect(differences).toContainEqual({ id: expect.stringMatching(/^evt_/), problem: 'the event could not be handled' });
  expect(await world.order(id, order)).toMatchObject({ state: 'granted' });
  world.stand.faults.clear();
  world.stand.faults.release();
  await world.drain();
});
