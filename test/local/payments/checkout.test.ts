import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardFields, postForm, startTestStripe, type TestStripe } from '#test/payments/stripe-server.ts';

let server: TestStripe;
beforeEach(async () => {
  server = await startTestStripe();
});
afterEach(() => server.close());

const pack = { price_data: { currency: 'usd', unit_amount: 500, product_data: { name: '500 credits' } }, quantity: 1 };

const newSession = async () => {
  const customer = await server.stripe.customers.create({ email: 'ada@example.com' });
  return server.stripe.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    client_reference_id: 'order_1',
    metadata: { order: 'order_1' },
    line_items: [pack],
    invoice_creation: { enabled: true, invoice_data: { metadata: { order: 'order_1' } } },
    payment_intent_data: { setup_future_usage: 'off_session', metadata: { order: 'order_1' } },
    success_url: 'http://127.0.0.1:1/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://127.0.0.1:1/back',
  });
};

describe('a Checkout session in payment mode', () => {
  it('is paid on its page, with an invoice, a saved card and events in order', async () => {
    const session = await newSession();
    expect(session).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 500,
      payment_intent: null,
    });

    const { status, location } = await postForm(session.url!, cardFields('4242 4242 4242 4242'));

    expect({ status, location }).toEqual({
      status: 303,
      location: `http://127.0.0.1:1/done?session=${session.id}`,
    });
    const paid = await server.stripe.checkout.sessions.retrieve(session.id, {
      expand: ['line_items', 'payment_intent.latest_charge', 'invoice.payments.data.payment.payment_intent'],
    });
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      line_items: { data: [{ description: '500 credits', amount_total: 500, price: { unit_amount: 500 } }] },
      payment_intent: { status: 'succeeded', metadata: { order: 'order_1' }, latest_charge: { paid: true } },
      invoice: {
        status: 'paid',
        amount_paid: 500,
        metadata: { order: 'order_1' },
        payments: { data: [{ status: 'paid', payment: { payment_intent: { status: 'succeeded' } } }] },
      },
    });
    const { data: cards } = await server.stripe.customers.listPaymentMethods(session.customer as string);
    expect(cards).toMatchObject([{ card: { last4: '4242' } }]);
    await server.advance();
    expect(server.types()).toEqual(
      expect.arrayContaining(['payment_intent.succeeded', 'invoice.paid', 'checkout.session.completed']),
    );
  });
});
