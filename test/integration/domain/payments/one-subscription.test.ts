import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { clearHold } from '#domain/payments/reversals.ts';
import { meterClosing } from '#repositories/accounts/accounts.ts';
import { dynamoClient } from '#runtime/services/dynamo-client.ts';
import { outcomeOf } from '#test/many.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';

const world = usePayingWorld();
const plan = { planId: 'dev_pass' };

/** Subscriptions of an account at Stripe that still collect. */
async function running(id: number): Promise<string[]> {
  const { customer = '' } = await world.profile(id);
  return (await world.stripe.subscriptions.list({ customer })).data.map((one) => one.id);
}

/** Closes the meter as the deletion of its account does. */
const closeMeter = (id: number) =>
  dynamoClient().send(new TransactWriteCommand({ TransactItems: [meterClosing(tables.meters.name, id, 'deleted')] }));

const cancel = async (id: number) => world.plans.cancel(id, (await world.plans.current(id))!.id);

const resume = async (id: number) => world.plans.resume(id, (await world.plans.current(id))!.id);

const planOrder = async (id: number) => (await world.orders(id)).find(({ kind }) => kind === 'plan')!;

describe('an account has one subscription at Stripe', () => {
  it('after a second checkout is paid during the month of a cancelled plan', async () => {
    const id = await world.account();
    const [first, second] = [await world.open(id, plan), await world.open(id, plan)];
    await world.script(first.id, 'paid');
    await cancel(id);

    await world.script(second.id, 'paid');

    expect(await world.order(id, second.id)).toMatchObject({ state: 'refunded', failure: 'already_subscribed' });
    expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    await world.move({ days: 40 });
    expect([await running(id), await world.charges(id)]).toEqual([[], [0, 2999]]);
  });

  it('even if cancelling an earlier one failed', async () => {
    const id = await world.subscriber();
    const { subscription: old } = await world.profile(id);
    await world.script(old ?? '', 'failed');
    world.stand.faults.order({ fault: 'error', count: 1000, method: 'DELETE' });
    await world.move({ days: 42 });
    expect((await world.plans.current(id))?.status).not.toBe('active');

    await world.script(old ?? '', 'paid');
    world.stand.faults.clear();
    await world.buy(id, plan);

    expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    expect((await world.profile(id)).subscription).not.toBe(old);
  });

  it('even if it is cancelled at Stripe on its first day, and the plan is resumed', async () => {
    const id = await world.cardholder();
    await world.plans.create(id, 'freemium');
    await world.plans.upgrade(id, 'dev_pass');
    const { subscription: first = '' } = await world.profile(id);
    await world.stripe.subscriptions.cancel(first);
    await world.drain();
    expect(await world.plans.current(id)).toMatchObject({ status: 'cancelled' });

    await resume(id);

    expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    expect((await world.profile(id)).subscription).not.toBe(first);
  });

  it('because the next alignment cancels any other one', async () => {
    const id = await world.subscriber();
    const { customer = '', subscription } = await world.profile(id);
    const { items, default_payment_method: card } = await world.stripe.subscriptions.retrieve(subscription ?? '');
    const { product } = items.data[0]!.price;
    if (typeof product !== 'string') throw new Error('the product is expanded');
    const price_data = { currency: 'usd', product, unit_amount: 100, recurring: { interval: 'month' } } as const;
    await world.stripe.subscriptions.create({
      customer,
      items: [{ price_data }],
      ...(typeof card === 'string' && { default_payment_method: card }),
    });
    expect(await running(id)).toHaveLength(2);
    await world.move({ hours: 2 });

    await world.payments.collection.align(id);

    expect(await running(id)).toEqual([subscription]);
  });

  it('until the account is deleted, which also expires its open checkouts', async () => {
    const id = await world.subscriber();
    const { id: order } = await world.open(id);
    await world.payments.stopCollecting(id);
    await world.drain();
    expect([await running(id), (await world.order(id, order))?.state]).toEqual([[], 'expired']);
  });

  it('until the account is deleted, even if a concurrent resumption starts another one', async () => {
    const id = await world.subscriber('pro_pass');
    await world.payments.stopCollecting(id);
    await world.plans.downgrade(id, 'dev_pass');
    expect([await running(id), (await world.plans.current(id))?.status]).toEqual([[], 'cancelled']);
    await resume(id);
    expect(await running(id)).toHaveLength(1);

    await closeMeter(id);
    await world.payments.alignCollection(id);

    expect(await running(id)).toEqual([]);
    await world.move({ days: 33 });
    expect(await world.charges(id)).toEqual([29_999]);
  });

  it('until the account is deleted, even if a resumption starts another one at its end', async () => {
    const id = await world.subscriber('pro_pass');
    await world.payments.stopCollecting(id);
    await world.drain();
    const { store } = world.payments;
    const saveProfile = store.saveProfile.bind(store);
    const end = vi.spyOn(store, 'saveProfile').mockImplementation(async (before, change) => {
      if (change.subscription !== undefined) {
        end.mockRestore();
        await closeMeter(id);
        await world.payments.alignCollection(id);
      }
      return saveProfile(before, change);
    });

    await resume(id);

    expect((await world.meter(id)).closed).toBe('deleted');
    expect(await running(id)).toEqual([]);
  });
});

describe('an event about the end of a subscription', () => {
  const ended = (subscription = '') => ({ type: 'customer.subscription.deleted', objectId: subscription });

  /** Another event about the same end, as Stripe sometimes creates. */
  async function repeat(event: { readonly type: string; readonly objectId: string }): Promise<void> {
    const id = `evt_repeated_${world.now()}`;
    await world.payments.store.receive({ ...event, id, receivedAt: world.now() });
    await world.payments.events.handle(id);
  }

  async function endedInDashboard() {
    const id = await world.subscriber();
    const { subscription = '' } = await world.profile(id);
    await world.useCard(id, undefined);
    await world.stripe.subscriptions.cancel(subscription);
    await world.drain();
    expect(await world.plans.current(id)).toMatchObject({ status: 'cancelled' });
    return { id, subscription };
  }

  it('leaves no invoice to pay, even if the process ends before it is voided, and again when another plan is bought', async () => {
    const id = await world.subscriber();
    const { subscription = '' } = await world.profile(id);
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    await world.move({ days: 32 });
    const unpaid = async () => (await world.stripe.invoices.list({ subscription, status: 'open' })).data.length;
    expect(await unpaid()).toBe(1);
    await world.stripe.subscriptions.cancel(subscription);
    const { store, events } = world.payments;
    const save = store.saveProfileWithMeter.bind(store);
    const process = vi.spyOn(store, 'saveProfileWithMeter').mockImplementationOnce(async (...change) => {
      await save(...change);
      throw new Error('the process has ended');
    });
    const event = { id: 'evt_of_end', ...ended(subscription), receivedAt: world.now() };
    await store.receive(event);
    await expect(events.handle(event.id)).rejects.toThrow('the process has ended');
    expect(process).toHaveBeenCalledOnce();

    const saveProfile = store.saveProfile.bind(store);
    const adoption = vi.spyOn(store, 'saveProfile').mockImplementation(async (before, change) => {
      const isSaved = await saveProfile(before, change);
      if (change.subscription === undefined) return isSaved;
      adoption.mockRestore();
      throw new Error('the process has ended');
    });
    await world.useCard(id, 'pm_card_visa');
    await world.buy(id, plan).catch(() => undefined);
    await world.move({ hours: 12 });

    expect(await world.plans.current(id)).toMatchObject({ planId: 'dev_pass', status: 'active' });
    expect(await running(id)).toEqual([(await world.profile(id)).subscription]);
    expect(await unpaid()).toBe(0);
  });

  it('changes nothing if it is repeated after the plan was resumed without a card', async () => {
    const { id, subscription } = await endedInDashboard();
    await resume(id);

    await repeat(ended(subscription));

    expect(await world.plans.current(id)).toMatchObject({ status: 'active' });
  });

  it('changes nothing if the service ended it and the owner upgraded the assigned plan', async () => {
    const id = await world.subscriber();
    const { subscription } = await world.profile(id);
    world.stand.faults.order({ fault: 'events_held' });
    await world.plans.assign(id, 'smm_pass');
    world.stand.faults.order({ fault: 'error', count: 1000, method: 'POST', path: '/v1/subscriptions' });
    await world.plans.upgrade(id, 'pro_pass');
    world.stand.faults.clear();

    await repeat(ended(subscription));

    expect(await world.plans.current(id)).toMatchObject({ planId: 'pro_pass', status: 'active' });
    world.stand.faults.release();
    // Stripe repeats an error for its idempotency key, which lasts an hour.
    await world.move({ hours: 2 });
    expect(await world.plans.current(id)).toMatchObject({ planId: 'pro_pass', status: 'active' });
    expect(await running(id)).toHaveLength(1);
  });

  it('cancels the plan even if its month is not paid, and a later payment is refunded', async () => {
    const id = await world.subscriber();
    await world.useCard(id, 'pm_card_chargeCustomerFail');
    await world.move({ days: 32 });
    const { subscription = '' } = await world.profile(id);
    const open = await world.stripe.invoices.list({ subscription, status: 'open' });
    world.stand.faults.order({ fault: 'events_held' });
    await world.stripe.subscriptions.cancel(subscription);
    await world.stand.script(open.data[0]!.id, 'paid');
    world.stand.faults.clear();
    world.stand.faults.release();
    await world.drain();

    expect((await world.plans.current(id))?.status).toBe('cancelled');
    await world.move({ days: 33 });
    expect([await running(id), await world.charges(id)]).toEqual([[], [0, 2999]]);
  });

  it('cancels the plan even if the alignment comes first', async () => {
    const id = await world.subscriber();
    const { subscription = '' } = await world.profile(id);
    world.stand.faults.order({ fault: 'events_held' });
    await world.stripe.subscriptions.cancel(subscription);

    await world.payments.collection.align(id);

    expect([(await world.plans.current(id))?.status, await running(id)]).toEqual(['cancelled', []]);
    world.stand.faults.clear();
    world.stand.faults.release();
    await world.drain();
  });
});

describe('a refund or dispute of the current month', () => {
  it('keeps the plan if it is partial', async () => {
    const id = await world.subscriber();
    const { provider } = await planOrder(id);
    await world.stripe.refunds.create({ payment_intent: provider.payment ?? '', amount: 1 });
    await world.move({ days: 8 });
    expect(await world.plans.current(id)).toMatchObject({ status: 'active' });
  });

  it('ends the plan after seven days unless it is won, even if the credits are spent', async () => {
    const [lost, won] = [await world.subscriber(), await world.subscriber()];
    for (const id of [lost, won]) {
      await world.leave(id, 0);
      await world.script((await planOrder(id)).id, 'disputed');
      expect((await world.meter(id)).subscription?.unpaidSince).toBeDefined();
    }
    await world.script((await planOrder(won)).id, 'won');
    await world.move({ days: 8 });
    expect((await world.plans.current(lost))?.status).not.toBe('active');
    expect((await world.plans.current(won))?.status).toBe('active');
    expect(await running(lost)).toEqual([]);
  });

  it('also ends a cancelled plan, which is past due once it is resumed and cannot be upgraded', async () => {
    const id = await world.subscriber();
    await cancel(id);
    await world.script((await planOrder(id)).id, 'disputed');
    expect(await outcomeOf(world.plans.create(id, 'smm_pass'))).toBe('INVALID_STATE');
    await resume(id);
    expect(await outcomeOf(world.plans.upgrade(id, 'smm_pass'))).toBe('INVALID_STATE');
    await world.move({ days: 8 });
    expect((await world.plans.current(id))?.status).not.toBe('active');
  });
});

it('a failed refund of a confirmed payment returns the credits', async () => {
  const id = await world.subscriber();
  await world.useCard(id, 'pm_card_authenticationRequired');
  expect(await outcomeOf(world.plans.upgrade(id, 'smm_pass'))).toBe('PAYMENT_ACTION_REQUIRED');
  const order = (await world.orders(id)).find(({ kind }) => kind === 'upgrade')!;
  await world.script(order.id, 'paid');
  const before = await world.balance(id);
  await world.script(order.id, 'refunded');
  expect(await world.balance(id)).toBeLessThan(before);
  await world.script(order.id, 'refund_failed');
  expect([await world.balance(id), (await world.order(id, order.id))?.state]).toEqual([before, 'granted']);
});

it('an operator clears the hold after refunds and disputes', async () => {
  const id = await world.cardholder();
  await world.script((await world.orders(id))[0]!.id, 'fraud_warning');
  expect(await outcomeOf(world.open(id))).toBe('INVALID_STATE');
  expect(await clearHold(world.payments.store, id)).toBe(1);
  expect(await outcomeOf(world.open(id))).toBe('done');
});
