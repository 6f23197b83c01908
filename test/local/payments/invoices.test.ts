import { describe, expect, it } from 'vitest';
import { cardFields, customerWithCard, planPrice, postForm, useTestStripe } from '#test/payments/stripe-server.ts';

const server = useTestStripe();

// Payments, renewals, refunds and disputes are tested over this stand-in in test/integration/domain/payments.

const draftOver = async (amount: number, token = 'pm_card_visa') => {
  const { customer, method } = await customerWithCard(server.stripe, token);
  const draft = await server.stripe.invoices.create({
    customer: customer.id,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    metadata: { order: 'order_1' },
  });
  const item = { customer: customer.id, invoice: draft.id, amount, currency: 'usd', description: 'Upgrade' };
  await server.stripe.invoiceItems.create(item);
  return { customer, method, id: draft.id };
};

describe('an invoice', () => {
  it('is finalized, paid off session, and shown on its pages', async () => {
    const { id } = await draftOver(1234);

    const open = await server.stripe.invoices.finalizeInvoice(id, { expand: ['confirmation_secret', 'payments'] });
    expect(open).toMatchObject({
      status: 'open',
      amount_due: 1234,
      lines: { data: [{ description: 'Upgrade', amount: 1234 }] },
      confirmation_secret: { type: 'payment_intent' },
      payments: { data: [{ status: 'open', amount_requested: 1234 }] },
    });
    const paid = await server.stripe.invoices.pay(id, { off_session: true });
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 1234, metadata: { order: 'order_1' } });

    const page = await (await fetch(paid.hosted_invoice_url!)).text();
    expect(page).toContain('$12.34');
    const receipt = /href="([^"]*\/receipts\/[^"]*)"/.exec(page)?.[1];
    expect(await (await fetch(receipt!)).text()).toContain('•••• 4242');
    const pdf = await fetch(paid.invoice_pdf!);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect((await pdf.text()).startsWith('%PDF-1.4')).toBe(true);
    await expect(server.stripe.invoices.pay(id)).rejects.toMatchObject({ statusCode: 400 });
    const { data: payments } = await server.stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: open.payments!.data[0]!.payment.payment_intent as string },
    });
    expect(payments).toMatchObject([{ invoice: id, status: 'paid', amount_paid: 1234 }]);
  });

  it('requires action for a card that always requires authentication', async () => {
    const { id } = await draftOver(1234, 'pm_card_authenticationRequired');
    await expect(server.stripe.invoices.pay(id, { off_session: true })).rejects.toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      decline_code: 'authentication_required',
    });
    await server.advance();
    expect(server.types()).toContain('invoice.payment_action_required');
    const { hosted_invoice_url: url } = await server.stripe.invoices.retrieve(id);
    await postForm(url!, cardFields('4000002760003184'));
    expect(await (await fetch(url!)).text()).toContain('Complete authentication');
    await postForm(url!, { do: 'fail' });
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({ status: 'open' });
    await postForm(url!, cardFields('4000002760003184'));
    await postForm(url!, { do: 'authenticate' });
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({ status: 'paid' });
  });

  it('uses up a credit balance', async () => {
    const { id, customer } = await draftOver(300);
    await server.stripe.customers.update(customer.id, { balance: -1000 });
    expect(await server.stripe.invoices.finalizeInvoice(id)).toMatchObject({
      status: 'paid',
      amount_due: 0,
      ending_balance: -700,
    });
  });

  it('includes pending items on request', async () => {
    const { customer } = await customerWithCard(server.stripe);
    const price_data = { currency: 'usd', product: 'plan_2999', unit_amount: 250 };
    await planPrice(server.stripe);
    const item = await server.stripe.invoiceItems.create({ customer: customer.id, price_data, quantity: 2 });
    await server.stripe.invoiceItems.create({
      customer: customer.id,
      amount: -100,
      currency: 'usd',
      description: 'Off',
    });
    const other = await server.stripe.invoices.create({
      customer: customer.id,
      pending_invoice_items_behavior: 'exclude',
    });
    const invoice = await server.stripe.invoices.create({
      customer: customer.id,
      pending_invoice_items_behavior: 'include',
    });
    expect([other.total, invoice.total]).toEqual([0, 400]);
    await server.stripe.invoiceItems.del(item.id);
    expect(await server.stripe.invoices.retrieve(invoice.id)).toMatchObject({ total: -100 });
  });

  it('is found by customer, status and time', async () => {
    const first = await draftOver(1234);
    await server.move({ hours: 1 });
    const second = await draftOver(1234);
    await server.stripe.invoices.finalizeInvoice(second.id);
    const ids = async (params: object) => (await server.stripe.invoices.list(params)).data.map(({ id }) => id);
    expect(await ids({ customer: first.customer.id })).toEqual([first.id]);
    expect(await ids({ status: 'open' })).toEqual([second.id]);
    expect(await ids({ created: { gte: server.seconds() } })).toEqual([second.id]);
    expect(await ids({ created: { lt: server.seconds() } })).toEqual([first.id]);
  });

  it('is paid on its page with another card, which pays later invoices', async () => {
    const { id, customer } = await draftOver(1234, 'pm_card_chargeCustomerFail');
    const { hosted_invoice_url: url } = await server.stripe.invoices.finalizeInvoice(id);
    expect((await postForm(url!, cardFields('4000000000000002'))).html).toContain('declined');
    await postForm(url!, { ...cardFields('4242424242424242'), save: 'yes' });
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({ status: 'paid' });
    const expand = ['invoice_settings.default_payment_method'];
    expect(await server.stripe.customers.retrieve(customer.id, { expand })).toMatchObject({
      invoice_settings: { default_payment_method: { card: { last4: '4242' } } },
    });
  });

  it('of a subscription cannot be deleted', async () => {
    const { customer } = await customerWithCard(server.stripe);
    const price = await planPrice(server.stripe);
    const { id } = await server.stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    await server.move('2027-02-28T10:00:00Z');
    const {
      data: [draft],
    } = await server.stripe.invoices.list({ subscription: id, status: 'draft' });
    await expect(server.stripe.invoices.del(draft!.id)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('is refused for a customer with a scripted failure until the outcome paid is set', async () => {
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
});

const paidWith = async (number: string): Promise<string> => {
  const session = await server.stripe.checkout.sessions.create({
    mode: 'payment',
    client_reference_id: 'order_1',
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: 'Credits' } }, quantity: 1 },
    ],
    success_url: 'http://127.0.0.1:1/done',
  });
  await postForm(session.url!, cardFields(number));
  return (await server.stripe.checkout.sessions.retrieve(session.id)).payment_intent as string;
};
const chargeOf = async (intent: string) => {
  const { latest_charge: charge } = await server.stripe.paymentIntents.retrieve(intent, {
    expand: ['latest_charge.refunds'],
  });
  return charge as Exclude<typeof charge, string | null>;
};

describe('a payment', () => {
  it('is refunded in parts, up to the full amount', async () => {
    const payment_intent = await paidWith('4242424242424242');
    const first = await server.stripe.refunds.create({ payment_intent, amount: 300, metadata: { by: 'operator' } });
    expect(first).toMatchObject({ amount: 300, status: 'succeeded', payment_intent, metadata: { by: 'operator' } });
    await expect(server.stripe.refunds.create({ payment_intent, amount: 701 })).rejects.toMatchObject({
      statusCode: 400,
    });
    await expect(server.stripe.refunds.create({ payment_intent, amount: 0 })).rejects.toMatchObject({
      statusCode: 400,
    });
    const { id: charge } = await chargeOf(payment_intent);
    await server.stripe.refunds.create({ charge });

    expect(await chargeOf(payment_intent)).toMatchObject({
      amount_refunded: 1000,
      refunded: true,
      refunds: { data: [{ amount: 300 }, { amount: 700 }] },
    });
    expect((await server.stripe.refunds.list({ payment_intent })).data.map(({ amount }) => amount)).toEqual([700, 300]);
    await expect(server.stripe.refunds.create({ payment_intent })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
    await server.advance();
    expect(server.types()).toEqual(expect.arrayContaining(['charge.refunded', 'refund.created', 'refund.updated']));
  });

  it.each([
    ['4000000000000259', 'needs_response'],
    ['4000000000001976', 'warning_needs_response'],
  ])('with the card %s has a dispute, %s', async (card, status) => {
    const payment_intent = await paidWith(card);
    expect((await server.stripe.disputes.list({ payment_intent })).data).toMatchObject([{ status }]);
  });

  it('has a dispute that is lost when it is closed', async () => {
    const payment_intent = await paidWith('4242424242424242');
    await server.script(payment_intent, 'disputed');
    const [dispute] = (await server.stripe.disputes.list({ payment_intent })).data;
    expect(await server.stripe.disputes.close(dispute!.id)).toMatchObject({ status: 'lost' });
    await expect(server.stripe.disputes.close(dispute!.id)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('has an early fraud warning', async () => {
    const payment_intent = await paidWith('4242424242424242');
    await server.script('order_1', 'fraud_warning');
    const [warning] = (await server.stripe.radar.earlyFraudWarnings.list({ payment_intent })).data;
    expect(warning).toMatchObject({ actionable: true, payment_intent });
    expect(server.types()).toContain('radar.early_fraud_warning.created');
  });
});

describe('an event', () => {
  it('is no longer delivered after three days of refusals', async () => {
    server.answer(500);
    await server.stripe.customers.create({ name: 'Ada' });
    for (let hour = 0; hour < 80; hour += 1) await server.move({ hours: 1 });
    server.answer(200);
    await server.move({ days: 2 });
    expect(server.received).toEqual([]);
    const { data } = await server.stripe.events.list({ delivery_success: false });
    expect(data).toMatchObject([{ type: 'customer.created', pending_webhooks: 0 }]);
  });

  it('can be fetched and filtered by type, and is deleted after 30 days', async () => {
    const customer = await server.stripe.customers.create({});
    await server.stripe.products.create({ name: 'A' });
    const { data } = await server.stripe.events.list({ types: ['product.created'] });
    expect(data).toMatchObject([{ type: 'product.created' }]);
    const [event] = (await server.stripe.events.list({ type: 'customer.*' })).data;
    expect(await server.stripe.events.retrieve(event!.id)).toMatchObject({ data: { object: { id: customer.id } } });
    await server.move({ days: 31 });
    await server.move({ days: 1 });
    await expect(server.stripe.events.retrieve(event!.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('is delivered to other endpoints with its own secret and types', async () => {
    const endpoint = await server.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/events',
      enabled_events: ['product.created'],
      api_version: '2026-10-28.endive',
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect((await server.stripe.webhookEndpoints.list()).data.map(({ secret }) => secret)).toEqual([
      undefined,
      undefined,
    ]);
    await server.stripe.customers.create({ name: 'Ada' });
    await server.stripe.products.create({ name: 'A' });
    await server.advance();
    const { data } = await server.stripe.events.list({ delivery_success: false });
    expect(data).toMatchObject([{ type: 'product.created', pending_webhooks: 1 }]);
  });

  it('is held by a fault until it is released', async () => {
    server.faults.order({ fault: 'events_held' });
    for (const name of ['Ada', 'Bea']) await server.stripe.customers.create({ name });
    await server.advance();
    expect(server.received).toEqual([]);
    const response = await fetch(`${server.url}/_control/events/release`, { method: 'POST' });
    expect(response.status).toBe(200);
    expect(server.received.map(({ event }) => event.data.object)).toMatchObject([{ name: 'Ada' }, { name: 'Bea' }]);
  });
});
