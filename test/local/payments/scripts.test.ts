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
  server = await startTestStripe();
});
afterEach(() => server.close());

const openSession = async () => {
  const customer = await server.stripe.customers.create({ email: 'ada@example.com' });
  return server.stripe.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    metadata: { order: 'order_1' },
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: 'Credits' } }, quantity: 1 },
    ],
    invoice_creation: { enabled: true },
    success_url: 'http://127.0.0.1:1/done',
  });
};
const sessionTypes = () => server.types().filter((type) => type.startsWith('checkout.session.'));

describe('a script for a session', () => {
  it('pays it by the id of its order, and reverses the payment', async () => {
    const { id } = await openSession();
    await server.script('order_1', 'paid');
    const { payment_intent, invoice } = await server.stripe.checkout.sessions.retrieve(id);
    expect(await server.stripe.invoices.retrieve(invoice as string)).toMatchObject({ status: 'paid' });
    await server.script('order_1', 'refunded');
    expect((await server.stripe.refunds.list({ payment_intent: payment_intent as string })).data).toHaveLength(1);
    await server.script('order_1', 'refund_failed');
    await server.script(payment_intent as string, 'disputed');
    await server.script('order_1', 'won');
    expect((await server.stripe.disputes.list({ payment_intent: payment_intent as string })).data).toMatchObject([
      { status: 'won' },
    ]);
  });

  it('completes it unpaid, and pays or fails it later', async () => {
    const session = await openSession();
    await server.script(session.id, 'processing');
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    await server.script(session.id, 'paid');
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });

    const other = await openSession();
    await server.script(other.id, 'failed');
    expect(await server.stripe.checkout.sessions.retrieve(other.id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    expect(sessionTypes()).toEqual([
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.completed',
      'checkout.session.async_payment_failed',
    ]);
  });

  it('expires it, or makes the bank require authentication', async () => {
    const first = await openSession();
    await server.script(first.id, 'expired');
    expect(sessionTypes()).toEqual(['checkout.session.expired']);

    const second = await openSession();
    await server.script(second.id, 'action_required');
    const { location } = await postForm(second.url!, cardFields('4242424242424242'));
    expect(location).toBe(`/pay/${second.id}`);
    await postForm(second.url!, { do: 'authenticate' });
    expect(await server.stripe.checkout.sessions.retrieve(second.id)).toMatchObject({ payment_status: 'paid' });
  });
});

describe('a script for a subscription', () => {
  it('fails its renewals until it is paid', async () => {
    const { customer } = await customerWithCard(server.stripe);
    const price = await planPrice(server.stripe);
    const { id } = await server.stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    await server.script(id, 'failed');
    await server.move('2027-03-02T10:00:00Z');
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' });
    await server.script(id, 'paid');
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
    await server.move('2027-03-31T12:00:00Z');
    expect((await server.stripe.invoices.list({ subscription: id, status: 'paid' })).data).toHaveLength(3);
  });
});

describe('a script for a customer or invoice', () => {
  it('refuses all payments until the outcome paid', async () => {
    const { customer } = await customerWithCard(server.stripe);
    const pay = async () => {
      const invoice = await server.stripe.invoices.create({ customer: customer.id, metadata: { order: 'order_2' } });
      await server.stripe.invoiceItems.create({
        customer: customer.id,
        invoice: invoice.id,
        amount: 900,
        currency: 'usd',
      });
      return server.stripe.invoices.pay(invoice.id, { off_session: true });
    };
    await server.script(customer.id, 'action_required');
    await expect(pay()).rejects.toMatchObject({ code: 'authentication_required' });
    await server.script(customer.id, 'failed');
    await expect(pay()).rejects.toMatchObject({ code: 'card_declined' });
    await server.script('order_2', 'paid');
    expect((await server.stripe.invoices.list({ status: 'paid' })).data).toHaveLength(1);
    await expect(pay()).resolves.toMatchObject({ status: 'paid' });
  });

  it('is refused over HTTP if the outcome is impossible', async () => {
    const order = (id: string, outcome: string) =>
      fetch(`${server.url}/_control/payments/${id}`, { method: 'POST', body: JSON.stringify({ outcome }) });
    const { id } = await openSession();
    expect((await order('order_9', 'paid')).status).toBe(400);
    expect((await order(id, 'won')).status).toBe(400);
    expect((await order(id, 'sings')).status).toBe(400);
    expect((await order(id, 'paid')).status).toBe(200);
    expect(await server.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
  });
});
