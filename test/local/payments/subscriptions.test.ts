import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cardFields,
  customerWithCard,
  planPrice,
  postForm,
  startTestStripe,
  type TestStripe,
} from '#test/payments/stripe-server.ts';

let server: TestStripe;
beforeEach(async () => {
  server = await startTestStripe({ start: '2027-01-31T10:00:00Z' });
});
afterEach(() => server.close());

const subscribe = async (token = 'pm_card_visa') => {
  const { customer, method } = await customerWithCard(server.stripe, token);
  const price = await planPrice(server.stripe);
  return server.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    default_payment_method: method.id,
    payment_behavior: 'error_if_incomplete',
    metadata: { order: 'order_1' },
  });
};

const paidPeriods = async (subscription: string) => {
  const { data } = await server.stripe.invoices.list({ subscription, status: 'paid', limit: 100 });
  return data.toReversed().map(({ lines }) => new Date(1000 * lines.data[0]!.period.end).toISOString().slice(0, 10));
};

describe('a subscription', () => {
  it('is paid immediately, and renews for a year on the 31st or the last day of shorter months', async () => {
    const subscription = await subscribe();
    expect(subscription).toMatchObject({
      status: 'active',
      items: { data: [{ current_period_start: server.seconds() }] },
    });

    await server.move('2028-01-31T12:00:00Z');

    expect(await paidPeriods(subscription.id)).toEqual([
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
      '2027-07-31',
      '2027-08-31',
      '2027-09-30',
      '2027-10-31',
      '2027-11-30',
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
    ]);
  });

  it('is bought on the checkout page, and starts when it is paid', async () => {
    const price = await planPrice(server.stripe);
    const session = await server.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: price.id, quantity: 1 }],
      subscription_data: { metadata: { order: 'order_1' } },
      success_url: 'http://127.0.0.1:1/done',
    });
    await server.move({ hours: 2 });

    await postForm(session.url!, cardFields('4242424242424242'));

    const { subscription } = await server.stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] });
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { order: 'order_1' },
      billing_cycle_anchor: server.seconds(),
    });
  });

  it('is charged an hour after its renewal is drafted, at the price that it had then', async () => {
    const subscription = await subscribe();
    const item = subscription.items.data[0]!;
    const cheaper = await planPrice(server.stripe, 999);
    const changed = await server.stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, price: cheaper.id }],
      proration_behavior: 'none',
    });
    expect(changed.latest_invoice).toBe(subscription.latest_invoice);

    await server.move('2027-02-28T10:00:00Z');
    const { data } = await server.stripe.invoices.list({ subscription: subscription.id, status: 'draft' });
    expect(data).toMatchObject([
      {
        total: 999,
        billing_reason: 'subscription_cycle',
        auto_advance: true,
        automatically_finalizes_at: server.seconds() + 3600,
        parent: { subscription_details: { subscription: subscription.id, metadata: { order: 'order_1' } } },
        lines: { data: [{ period: { start: server.seconds(), end: Date.parse('2027-03-31T10:00:00Z') / 1000 } }] },
      },
    ]);
    await server.stripe.subscriptions.update(subscription.id, {
      items: [
        {
          id: item.id,
          price_data: { currency: 'usd', product: 'plan_2999', unit_amount: 5000, recurring: { interval: 'month' } },
        },
      ],
      proration_behavior: 'none',
    });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });

    await server.move({ hours: 1 });
    expect(await server.stripe.invoices.retrieve(data[0]!.id)).toMatchObject({ status: 'paid', amount_paid: 999 });
  });

  it('can be cancelled at the end of its period, and resumed until then', async () => {
    const ending = await subscribe();
    const ended = await server.stripe.subscriptions.update(ending.id, { cancel_at_period_end: true });
    expect(ended).toMatchObject({ cancel_at: ended.items.data[0]!.current_period_end });
    await server.move({ days: 3 });
    await server.stripe.subscriptions.update(ending.id, { cancel_at_period_end: false });
    await server.move('2027-02-28T10:00:00Z');
    expect(await server.stripe.subscriptions.retrieve(ending.id)).toMatchObject({ status: 'active', cancel_at: null });

    await server.stripe.subscriptions.update(ending.id, { cancel_at_period_end: true });
    await server.move('2027-04-01T00:00:00Z');

    expect(await server.stripe.subscriptions.retrieve(ending.id)).toMatchObject({
      status: 'canceled',
      ended_at: Date.parse('2027-03-31T10:00:00Z') / 1000,
    });
    expect(server.types()).toContain('customer.subscription.deleted');
    await server.move({ days: 90 });
    expect(await paidPeriods(ending.id)).toEqual(['2027-02-28', '2027-03-31']);
  });

  it('is not created if the first payment fails', async () => {
    await expect(subscribe('pm_card_chargeCustomerFail')).rejects.toMatchObject({
      statusCode: 402,
      code: 'card_declined',
    });
    expect((await server.stripe.subscriptions.list({ status: 'all' })).data).toEqual([]);
    expect((await server.stripe.invoices.list()).data).toEqual([]);
  });

  it('requires authentication for a card that always requires it', async () => {
    await expect(subscribe('pm_card_authenticationRequired')).rejects.toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
    });
  });

  it('does not prorate', async () => {
    const subscription = await subscribe();
    const dearer = await planPrice(server.stripe, 4900);
    const items = [{ id: subscription.items.data[0]!.id, price: dearer.id }];
    await expect(server.stripe.subscriptions.update(subscription.id, { items })).rejects.toMatchObject({
      param: 'proration_behavior',
    });
  });

  it('can be incomplete until its first payment, and expires after 23 hours', async () => {
    const { customer } = await customerWithCard(server.stripe);
    const price = await planPrice(server.stripe);
    const subscription = await server.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      payment_behavior: 'default_incomplete',
      expand: ['latest_invoice.confirmation_secret'],
    });
    expect(subscription).toMatchObject({
      status: 'incomplete',
      latest_invoice: { status: 'open', confirmation_secret: { type: 'payment_intent' } },
    });
    await server.move({ hours: 24 });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'incomplete_expired' });
  });
});

describe('a renewal that fails', () => {
  const failing = async () => {
    const subscription = await subscribe();
    const customer = subscription.customer as string;
    const bad = await server.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer });
    await server.stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id });
    await server.move('2027-02-28T11:00:00Z');
    return subscription;
  };
  const latestInvoice = async (id: string) => {
    const { latest_invoice: invoice } = await server.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
    return invoice as Stripe.Invoice;
  };

  it('is retried 1, 3 and 5 days after the previous attempt, and stays past due', async () => {
    const { id } = await failing();
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' });
    expect(await latestInvoice(id)).toMatchObject({
      attempt_count: 1,
      next_payment_attempt: server.seconds() + 86_400,
    });

    for (const [days, attempts] of [
      [1, 2],
      [3, 3],
      [5, 4],
      [9, 4],
    ] as const) {
      await server.move({ days });
      expect(await latestInvoice(id)).toMatchObject({ status: 'open', attempt_count: attempts });
    }
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' });
    expect(server.types().filter((type) => type === 'invoice.payment_failed')).toHaveLength(4);
  });

  it('makes the subscription active again when a retry with another card succeeds', async () => {
    const { id, customer } = await failing();
    const good = await server.stripe.paymentMethods.attach('pm_card_visa', { customer: customer as string });
    await server.stripe.subscriptions.update(id, { default_payment_method: good.id });
    await server.move({ days: 1 });
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
    expect(await latestInvoice(id)).toMatchObject({ status: 'paid' });
  });

  it('is paid on the hosted invoice page, whose card can pay later invoices', async () => {
    const { id } = await failing();
    const { hosted_invoice_url: url } = await latestInvoice(id);
    expect((await postForm(url!, cardFields('4000000000000002'))).html).toContain('declined');
    await postForm(url!, { ...cardFields('4242424242424242'), save: 'yes' });
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
    await server.move('2027-03-31T11:00:00Z');
    expect(await paidPeriods(id)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
  });

  it('is not charged again once the subscription is cancelled and its invoice is voided', async () => {
    const { id } = await failing();
    await server.stripe.subscriptions.cancel(id);
    const invoice = await latestInvoice(id);
    expect(invoice).toMatchObject({ status: 'open', auto_advance: false, next_payment_attempt: null });
    await server.stripe.invoices.voidInvoice(invoice.id);
    await server.move({ days: 60 });
    expect(await latestInvoice(id)).toMatchObject({ status: 'void', attempt_count: 1 });
    expect(server.types()).toContain('invoice.voided');
  });

  it('requires action if the card requires authentication', async () => {
    const subscription = await subscribe();
    const customer = subscription.customer as string;
    const card = await server.stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer });
    await server.stripe.subscriptions.update(subscription.id, { default_payment_method: card.id });
    await server.move('2027-02-28T11:00:00Z');
    expect(server.types()).toEqual(
      expect.arrayContaining(['invoice.payment_action_required', 'invoice.payment_failed']),
    );

    const { hosted_invoice_url: url } = await latestInvoice(subscription.id);
    await postForm(url!, cardFields('4000002760003184'));
    expect(await (await fetch(url!)).text()).toContain('Complete authentication');
    await postForm(url!, { do: 'authenticate' });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
  });
});
