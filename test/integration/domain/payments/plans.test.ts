import { describe, expect, it } from 'vitest';
import { cents } from '#contract/payments/payments.ts';
import { outcomeOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';
import { postForm } from '#test/payments/stripe-server.ts';

const world = usePayingWorld();

const cancel = async (id: number) => world.plans.cancel(id, (await world.plans.current(id))!.id);

describe('a plan', () => {
  it('starts when it is paid, with the billing periods of Stripe’s subscription', async () => {
    const id = await world.account();
    const { id: order } = await world.open(id, { planId: 'dev_pass' });
    await world.move({ minutes: 40 });

    await world.script(order, 'paid');

    const { subscription = '' } = await world.profile(id);
    const { items, billing_cycle_anchor: anchor } = await world.stripe.subscriptions.retrieve(subscription);
    const meter = await world.meter(id);
    expect([meter.period.anchor, meter.subscription?.paidUntil]).toEqual([anchor, items.data[0]?.current_period_end]);
    expect(await world.granted(id, 'plan')).toBe(5000);
    expect(await world.charges(id)).toEqual([2999]);
  });

  it('is granted once if two checkouts are paid, and the second payment is refunded', async () => {
    const id = await world.account();
    const first = await world.open(id, { planId: 'dev_pass' });
    const second = await world.open(id, { planId: 'smm_pass' });
    await world.script(first.id, 'paid');

    await world.script(second.id, 'paid');

    expect(await world.order(id, second.id)).toMatchObject({ state: 'refunded', failure: 'already_subscribed' });
    expect(await world.granted(id, 'plan')).toBe(5000);
    expect(await world.charges(id)).toEqual([0, 2999]);
    const { customer = '' } = await world.profile(id);
    expect((await world.stripe.subscriptions.list({ customer })).data).toHaveLength(1);
    expect(await world.collected(id)).toEqual({ status: 'active', cents: 2999, ends: false });
  });

  it('is charged once if it is created ten times concurrently', async () => {
    const id = await world.cardholder();

    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcomeOf(world.plans.create(id, 'dev_pass'))));

    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    const allowed = new Set(['done', 'INVALID_STATE', 'ALREADY_SUBSCRIBED', 'SERVICE_UNAVAILABLE']);
    expect(outcomes.filter((outcome) => !allowed.has(outcome))).toEqual([]);
    await world.drain();
    expect([await world.granted(id, 'plan'), await world.charges(id)]).toEqual([5000, [500, 2999]]);
  });

  it('is neither started nor charged if the card is declined or requires authentication', async () => {
    const id = await world.cardholder();
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    expect(await outcomeOf(world.plans.create(id, 'dev_pass'))).toBe('PAYMENT_DECLINED');
    await world.useCard(id, 'pm_card_authenticationRequired');
    expect(await outcomeOf(world.plans.create(id, 'dev_pass'))).toBe('PAYMENT_ACTION_REQUIRED');
    await world.drain();

    expect(await world.plans.current(id)).toBeNull();
    expect(await world.charges(id)).toEqual([500]);
    await world.useCard(id, 'pm_card_visa');
    expect(await outcomeOf(world.plans.create(id, 'dev_pass'))).toBe('done');
  });

  it('is refused after three declines in a day, without another charge', async () => {
    const id = await world.cardholder();
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    for (let count = 0; count < 3; count++) await outcomeOf(world.plans.create(id, 'dev_pass'));
    await world.useCard(id, 'pm_card_visa');

    expect(await outcomeOf(world.plans.create(id, 'dev_pass'))).toBe('PAYMENT_DECLINED');
    expect(await world.charges(id)).toEqual([500]);
    await world.move({ days: 1, minutes: 1 });
    expect(await outcomeOf(world.plans.create(id, 'dev_pass'))).toBe('done');
  });
});

describe('an upgrade', () => {
  it('charges its proration to the cent, and the larger plan from the next month', async () => {
    const id = await world.subscriber('dev_pass');
    await world.move({ days: 10 });
    const { amount, credits } = await world.plans.preview(id, 'pro_pass');

    const { proration } = await world.plans.upgrade(id, 'pro_pass');

    expect(proration).toMatchObject({ amount, credits });
    expect(await world.charges(id)).toEqual([2999, cents(amount)]);
    expect(await world.granted(id, 'plan')).toBe(5000 + credits);
    expect(await world.collected(id)).toEqual({ status: 'active', cents: 29_999, ends: false });
    await world.move({ days: 22 });
    expect(await world.charges(id)).toEqual([2999, cents(amount), 29_999]);
  });

  it('changes nothing if it is declined', async () => {
    const id = await world.subscriber('dev_pass');
    const before = await world.meter(id);
    await world.useCard(id, 'pm_card_chargeCustomerFail');

    expect(await outcomeOf(world.plans.upgrade(id, 'smm_pass'))).toBe('PAYMENT_DECLINED');
    await world.drain();

    expect(await world.meter(id)).toEqual(before);
    expect(await world.collected(id)).toEqual({ status: 'active', cents: 2999, ends: false });
    expect((await world.orders(id))[0]).toMatchObject({ kind: 'upgrade', state: 'failed' });
    const { customer = '' } = await world.profile(id);
    expect((await world.stripe.invoices.list({ customer, status: 'open' })).data).toEqual([]);
    await world.useCard(id, 'pm_card_visa');
    expect(await outcomeOf(world.plans.upgrade(id, 'smm_pass'))).toBe('done');
  });

  it('changes nothing until the buyer has authenticated it', async () => {
    const id = await world.subscriber('dev_pass');
    const before = await world.meter(id);
    await world.useCard(id, 'pm_card_authenticationRequired');

    await expect(world.plans.upgrade(id, 'smm_pass')).rejects.toMatchObject({ code: 'PAYMENT_ACTION_REQUIRED' });
    await world.drain();
    const [open] = await world.orders(id);
    expect(open).toMatchObject({
      kind: 'upgrade',
      state: 'action_required',
      url: expect.stringContaining('/invoices/'),
    });
    expect(await world.meter(id)).toEqual(before);

    await world.script(open!.id, 'paid');

    expect(await world.order(id, open!.id)).toMatchObject({ state: 'granted' });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'smm_pass' });
    expect(await world.collected(id)).toMatchObject({ cents: 9999 });
  });

  it('cannot be paid if it is not authenticated within a day', async () => {
    const id = await world.subscriber('dev_pass');
    await world.useCard(id, 'pm_card_authenticationRequired');
    await outcomeOf(world.plans.upgrade(id, 'smm_pass'));
    const [open] = await world.orders(id);
    await world.move({ days: 1, minutes: 5 });

    expect(await world.order(id, open!.id)).toMatchObject({ state: 'failed' });
    await postForm(open!.url!, { do: 'authenticate' });
    await world.drain();
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass' });
    expect(await world.charges(id)).toEqual([2999]);
  });

  it('is refunded if it is authenticated in the next month', async () => {
    const id = await world.subscriber('dev_pass');
    const { subscription } = await world.meter(id);
    await world.moveTo((subscription!.paidUntil! - 12 * 3600) * 1000);
    await world.useCard(id, 'pm_card_authenticationRequired');
    expect(await outcomeOf(world.plans.upgrade(id, 'pro_pass'))).toBe('PAYMENT_ACTION_REQUIRED');
    const [open] = await world.orders(id);
    await world.script((await world.profile(id)).subscription!, 'paid');
    await world.useCard(id, 'pm_card_visa');
    await world.move({ hours: 14 });
    const before = await world.granted(id, 'plan');
    await world.script(open!.id, 'paid');

    expect(await world.order(id, open!.id)).toMatchObject({ state: 'refunded', failure: 'plan_changed' });
    expect(await world.granted(id, 'plan')).toBe(before);
    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass' });
  });

  it('is carried to the next invoice if it is below 50 cents', async () => {
    const id = await world.subscriber('dev_pass');
    const { subscription } = await world.meter(id);
    await world.moveTo((subscription!.paidUntil! - 3 * 3600) * 1000);

    const { proration } = await world.plans.upgrade(id, 'smm_pass');

    const amount = cents(proration.amount);
    expect(amount > 0 && amount < 50).toBe(true);
    expect(await world.charges(id)).toEqual([2999]);
    const { customer = '' } = await world.profile(id);
    expect(await world.stripe.customers.retrieve(customer)).toMatchObject({ balance: amount });
    await world.move({ hours: 6 });
    expect(await world.charges(id)).toEqual([2999, 9999 + amount]);
    expect((await world.orders(id))[0]).toMatchObject({ kind: 'renewal', state: 'granted', cents: 9999 });
    expect(await world.granted(id, 'plan')).toBe(30_000 + proration.credits);
  });
});

describe('an upgrade below 50 cents that cannot be granted', () => {
  const upgradeOf = async (id: number) => (await world.orders(id)).find(({ kind }) => kind === 'upgrade')!;

  /** An upgrade that is settled in the next month. Events are held. */
  async function upgradedTooLate(): Promise<number> {
    const id = await world.subscriber('dev_pass');
    const { subscription } = await world.meter(id);
    await world.moveTo((subscription!.paidUntil! - 3 * 3600) * 1000);
    world.stand.faults.order({ fault: 'events_held' });
    world.stand.faults.order({ fault: 'error', count: 1000, method: 'GET', path: '/v1/invoices/' });
    expect(await outcomeOf(world.plans.upgrade(id, 'smm_pass'))).toBe('SERVICE_UNAVAILABLE');
    await world.jump(0.15);
    world.stand.faults.clear();
    return id;
  }

  it('is not charged with the next invoice', async () => {
    const id = await upgradedTooLate();
    world.stand.faults.release();
    await world.drain();

    await world.move({ days: 3 });

    expect(await upgradeOf(id)).toMatchObject({ state: 'refunded', failure: 'plan_changed' });
    expect(await world.charges(id)).toEqual([2999, 2999]);
  });

  it('is credited once, even if the process ends and a day passes before the next attempt', async () => {
    const id = await upgradedTooLate();
    world.die({ write: 5, isWritten: false });
    expect(await outcomeOf(world.payments.settlement.settle(await upgradeOf(id)))).toContain('the process has ended');
    world.die(undefined);
    expect(await upgradeOf(id)).toMatchObject({ state: 'paid', failure: 'plan_changed' });
    const balance = async () => {
      const { customer = '' } = await world.profile(id);
      return world.stripe.customers.retrieve(customer);
    };
    expect(await balance()).toMatchObject({ balance: 0 });

    await world.jump(1.1);
    world.stand.faults.release();
    await world.drain();

    expect(await upgradeOf(id)).toMatchObject({ state: 'refunded' });
    expect(await balance()).toMatchObject({ balance: 0 });
  });
});

it('a plan whose cancelled month ends during a request to continue it is not granted without payment', async () => {
  const id = await world.subscriber('pro_pass');
  await cancel(id);
  const { subscription } = await world.meter(id);
  const end = subscription!.paidUntil! * 1000;
  await world.moveTo(end - 60_000);
  // The clock moves by a millisecond with each reading: the first one of the request is before the end.
  await world.jump((end - 2 - world.now()) / 86_400_000);

  expect(await outcomeOf(world.plans.create(id, 'pro_pass'))).toBe('SERVICE_UNAVAILABLE');

  expect(await world.granted(id, 'plan')).toBe(0);
  expect(await outcomeOf(world.plans.create(id, 'pro_pass'))).toBe('done');
  expect([await world.granted(id, 'plan'), await world.charges(id)]).toEqual([100_000, [29_999, 29_999]]);
});
