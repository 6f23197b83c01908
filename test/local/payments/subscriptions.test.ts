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
  it('is paid at once and renews for a year from the 31st on the last day of shorter months', async () => {
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

  it('is bought on the pay page and starts when it is paid', async () => {
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
});
