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

  it('stays open after a decline, and returns the decline code', async () => {
    const { id } = await draftOver(1234, 'pm_card_chargeCustomerFail');
    await expect(server.stripe.invoices.pay(id, { off_session: true })).rejects.toMatchObject({
      type: 'StripeCardError',
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'generic_decline',
      payment_intent: { status: 'requires_payment_method' },
    });
    // What the request changed is undone only up to the finalization.
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({
      status: 'open',
      attempt_count: 1,
      attempted: true,
    });
    await server.advance();
    expect(server.types()).toEqual(expect.arrayContaining(['charge.failed', 'invoice.payment_failed']));
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
    await postForm(url!, { do: 'fail' });
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({ status: 'open' });
    await postForm(url!, cardFields('4000002760003184'));
    await postForm(url!, { do: 'authenticate' });
    expect(await server.stripe.invoices.retrieve(id)).toMatchObject({ status: 'paid' });
  });

  it('under 50 cents is marked as paid and carried to the next invoice', async () => {
    const { id, customer } = await draftOver(30);
    const paid = await server.stripe.invoices.finalizeInvoice(id, { expand: ['payments'] });
    expect(paid).toMatchObject({
      status: 'paid',
      total: 30,
      amount_due: 0,
      amount_paid: 0,
      ending_balance: 30,
      payments: { data: [] },
    });
    expect(await server.stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 30 });

    const next = await server.stripe.invoices.create({ customer: customer.id });
    await server.stripe.invoiceItems.create({ customer: customer.id, invoice: next.id, amount: 100, currency: 'usd' });
    const open = await server.stripe.invoices.finalizeInvoice(next.id);
    expect(open).toMatchObject({ total: 100, starting_balance: 30, amount_due: 130, ending_balance: 0 });
    expect(await server.stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 0 });
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

  it('is deleted as a draft, and voided once it is open', async () => {
    const draft = await draftOver(1234);
    expect(await server.stripe.invoices.del(draft.id)).toMatchObject({ deleted: true });
    const { id } = await draftOver(1234);
    await server.stripe.invoices.finalizeInvoice(id);
    await expect(server.stripe.invoices.del(id)).rejects.toMatchObject({ statusCode: 400 });
    const voided = await server.stripe.invoices.voidInvoice(id, { expand: ['payments.data.payment.payment_intent'] });
    expect(voided).toMatchObject({
      status: 'void',
      payments: { data: [{ status: 'canceled', payment: { payment_intent: { status: 'canceled' } } }] },
    });
    await expect(server.stripe.invoices.pay(id)).rejects.toMatchObject({ statusCode: 400 });
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
});
