import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cardFields, postForm, startTestStripe, type TestStripe } from '#test/payments/stripe-server.ts';

let server: TestStripe;
beforeEach(async () => {
  server = await startTestStripe();
});
afterEach(() => server.close());

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

describe('a refund', () => {
  it('can be partial, up to the full payment', async () => {
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

  it('may fail later', async () => {
    const payment_intent = await paidWith('4242424242424242');
    const { id } = await server.stripe.refunds.create({ payment_intent });
    await server.script(id, 'refund_failed');
    expect(await server.stripe.refunds.retrieve(id)).toMatchObject({ status: 'failed' });
    expect(await chargeOf(payment_intent)).toMatchObject({ amount_refunded: 0, refunded: false });
    expect(server.types()).toContain('refund.failed');
  });
});

describe('a dispute', () => {
  it('follows a payment with its test card, and is won by a script', async () => {
    const payment_intent = await paidWith('4000000000000259');
    const { data } = await server.stripe.disputes.list({ payment_intent });
    expect(data).toMatchObject([{ amount: 1000, status: 'needs_response', reason: 'fraudulent' }]);
    expect(await chargeOf(payment_intent)).toMatchObject({ disputed: true });
    await expect(server.stripe.refunds.create({ payment_intent })).rejects.toMatchObject({ code: 'charge_disputed' });

    await server.script(data[0]!.id, 'won');

    expect(await server.stripe.disputes.retrieve(data[0]!.id)).toMatchObject({ status: 'won' });
    expect(server.types().filter((type) => type.startsWith('charge.dispute.'))).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ]);
  });

  it('is lost when it is closed', async () => {
    const payment_intent = await paidWith('4242424242424242');
    await server.script(payment_intent, 'disputed');
    const [dispute] = (await server.stripe.disputes.list({ payment_intent })).data;
    expect(await server.stripe.disputes.close(dispute!.id)).toMatchObject({ status: 'lost' });
    await expect(server.stripe.disputes.close(dispute!.id)).rejects.toMatchObject({ statusCode: 400 });
  });

  it('is an inquiry for the other test card, without withdrawn funds', async () => {
    const payment_intent = await paidWith('4000000000001976');
    const [inquiry] = (await server.stripe.disputes.list({ payment_intent })).data;
    expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true });
    await server.script('order_1', 'lost');
    expect(await server.stripe.disputes.retrieve(inquiry!.id)).toMatchObject({ status: 'warning_closed' });
    expect(server.types()).not.toContain('charge.dispute.funds_withdrawn');
    await server.stripe.refunds.create({ payment_intent });
  });
});

describe('an early fraud warning', () => {
  it('contains the payment', async () => {
    const payment_intent = await paidWith('4242424242424242');
    await server.script('order_1', 'fraud_warning');
    const [warning] = (await server.stripe.radar.earlyFraudWarnings.list({ payment_intent })).data;
    expect(warning).toMatchObject({ actionable: true, payment_intent });
    expect(server.types()).toContain('radar.early_fraud_warning.created');
  });
});
