import { describe, expect, it } from 'vitest';
import { cardFields, customerWithCard, planPrice, postForm, useTestStripe } from '#test/payments/stripe-server.ts';

const server = useTestStripe();

// Payments, renewals, refunds and disputes are tested over this stand-in in test/integration/domain/payments.

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

describe('a Checkout session', () => {
  it('requires authentication, which can fail', async () => {
    const session = await newSession();
    expect((await postForm(session.url!, cardFields('4000000000009995'))).html).toContain('insufficient funds');
    const { location } = await postForm(session.url!, cardFields('4000002760003184'));
    expect(location).toBe(`/pay/${session.id}`);
    expect(await (await fetch(session.url!)).text()).toContain('Complete authentication');

    const failed = await postForm(session.url!, { do: 'fail' });
    expect(failed.html).toContain('unable to authenticate');
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' });

    await postForm(session.url!, cardFields('4000002760003184'));
    await postForm(session.url!, { do: 'authenticate' });
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
  });

  it('expires after its time, and on request', async () => {
    const session = await newSession();
    const other = await newSession();
    await server.stripe.checkout.sessions.expire(other.id);
    await server.move({ hours: 25 });

    for (const { id } of [session, other])
      expect(await server.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired', url: null });
    expect((await fetch(session.url!)).status).toBe(410);
    expect(server.types().filter((type) => type === 'checkout.session.expired')).toHaveLength(2);
    const { status } = await postForm(session.url!, cardFields('4242424242424242'));
    expect(status).toBe(410);
    await expect(server.stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({ statusCode: 400 });
  });

  it.each([
    [
      'a total under 50 cents',
      { line_items: [{ ...pack, price_data: { ...pack.price_data, unit_amount: 49 } }] },
      'amount_too_small',
    ],
    ['an expiry in 10 minutes', { expires_at: Date.parse('2027-01-31T10:10:00Z') / 1000 }, undefined],
    ['a parameter of another mode', { subscription_data: { description: 'x' } }, undefined],
    ['a parameter that API version 2026-10-28 removed', { payment_method_types: ['card'] }, 'parameter_unknown'],
    ['an address to return to that runs a script', { cancel_url: 'javascript:alert(1)' }, 'url_invalid'],
    ['no items', { line_items: [] }, 'parameter_missing'],
  ])('refuses %s', async (_, params, code) => {
    const success_url = 'http://127.0.0.1:1/done';
    const request = server.stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [pack],
      success_url,
      ...params,
    });
    await expect(request).rejects.toMatchObject({ statusCode: 400, ...(code !== undefined && { code }) });
  });

  it('requires acceptance of the terms if it collects consent', async () => {
    const session = await server.stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [pack],
      success_url: 'http://127.0.0.1:1/done',
      consent_collection: { terms_of_service: 'required' },
    });
    expect((await postForm(session.url!, cardFields('4242424242424242'))).html).toContain('Accept the terms');
    await postForm(session.url!, { ...cardFields('4242424242424242'), terms: 'yes' });
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      payment_status: 'paid',
      consent: { terms_of_service: 'accepted' },
    });
  });

  it('saves a card without a payment', async () => {
    const customer = await server.stripe.customers.create({});
    const session = await server.stripe.checkout.sessions.create({
      mode: 'setup',
      currency: 'usd',
      customer: customer.id,
      success_url: 'http://127.0.0.1:1/done',
    });
    expect((await postForm(session.url!, cardFields('4000000000000002'))).html).toContain('declined');
    await postForm(session.url!, cardFields('4000000000000341'));
    const saved = await server.stripe.checkout.sessions.retrieve(session.id, {
      expand: ['setup_intent.payment_method'],
    });
    expect(saved).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      setup_intent: { status: 'succeeded', payment_method: { customer: customer.id, card: { last4: '0341' } } },
    });
  });
});

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

describe('a subscription', () => {
  it('is bought on the checkout page, and starts when it is paid', async () => {
    const price = await planPrice(server.stripe);
    const session = await server.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: price.id, quantity: 1 }],
      subscription_data: { metadata: { order: 'order_1' } },
      success_url: 'http://127.0.0.1:1/done',
    });
    expect(await (await fetch(session.url!)).text()).toContain('per month');
    await server.move({ hours: 2 });

    await postForm(session.url!, cardFields('4242424242424242'));

    const { subscription } = await server.stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] });
    expect(subscription).toMatchObject({
      status: 'active',
      metadata: { order: 'order_1' },
      billing_cycle_anchor: server.seconds(),
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
