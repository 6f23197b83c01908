import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { large, refusedPayments, small, usePayingService } from '#test/payments/paying-service.ts';
import { cardFields, postForm } from '#test/payments/stripe-server.ts';
import { code, type Person } from '#test/service/service.ts';

const service = usePayingService();
const granted = small.credits * 1_000_000;

async function settled(person: Person, id: string) {
  await service.quiet();
  return [(await service.payment(person, id)).status, await service.purchased(person)];
}

describe('a pack', () => {
  it('is granted once it is paid, with a receipt and an invoice', async () => {
    const person = await service.person();
    const { id, url } = await service.opened(person);
    expect(await settled(person, id)).toEqual(['created', 0]);

    const { location } = await postForm(url, cardFields('4242424242424242'));
    expect(location).toContain(`/billing?payment=${id}`);

    expect(await settled(person, id)).toEqual(['granted', granted]);
    const payment = await service.payment(person, id);
    expect(payment).toMatchObject({ kind: 'pack', amount: small.cents, currency: 'usd', refundedAmount: 0 });
    expect([payment.receiptUrl, payment.invoiceUrl, payment.paidAt]).not.toContain(null);
    expect(payment.url).toBeUndefined();
  });

  it('is granted once its completed checkout is paid', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);

    await service.script(id, 'processing');
    const { provider } = (await service.order(person, id))!;
    const session = await service.stripe().checkout.sessions.retrieve(provider.session ?? '');
    expect(session).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    expect(await settled(person, id)).toEqual(['created', 0]);

    await service.script(id, 'paid');
    expect(await settled(person, id)).toEqual(['granted', granted]);
  });

  it('is not granted if the bank transfer fails later', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);
    await service.script(id, 'processing');
    await service.script(id, 'failed');
    expect((await settled(person, id))[1]).toBe(0);
    await service.advance('P2D');
    expect(await settled(person, id)).toEqual(['failed', 0]);
  });

  it('is not granted if the card is declined, and can be paid with another', async () => {
    const person = await service.person();
    const { id, url } = await service.opened(person);

    expect((await postForm(url, cardFields('4000000000000002'))).html).toContain('declined');
    expect(await settled(person, id)).toEqual(['created', 0]);
    await postForm(url, cardFields('4242424242424242'));

    expect(await settled(person, id)).toEqual(['granted', granted]);
  });

  it('is granted once the bank has confirmed it', async () => {
    const person = await service.person();
    const { id, url } = await service.opened(person);

    await postForm(url, cardFields('4000002760003184'));
    expect(await settled(person, id)).toEqual(['created', 0]);
    await postForm(url, { do: 'authenticate' });

    expect(await settled(person, id)).toEqual(['granted', granted]);
  });

  it('is granted if it is paid in the last seconds of its checkout and the event is lost', async () => {
    const person = await service.person();
    const { id, url } = await service.opened(person);
    const { expiresAt = 0 } = (await service.order(person, id))!;
    await service.fault({ fault: 'event_dropped', count: 100 });
    await service.post('/_local/clock', { now: new Date(expiresAt - 15_000).toISOString() });
    await postForm(url, cardFields('4242424242424242'));
    await service.advance('PT10M');
    await service.noFaults();

    expect(await settled(person, id)).toEqual(['granted', granted]);
  });

  it('cannot be paid after its checkout has expired', async () => {
    const person = await service.person();
    const { id, url } = await service.opened(person);
    await service.advance('PT61M');

    await postForm(url, cardFields('4242424242424242'));

    expect(await settled(person, id)).toEqual(['expired', 0]);
  });

  it('is not granted if another amount was charged, and raises the alarm, but not again once it is recorded', async () => {
    const person = await service.person();
    const { id } = await service.opened(person);
    const order = (await service.order(person, id))!;
    await (await services().payments()).store.save(order, { cents: small.cents - 1 });
    const refused = refusedPayments();

    await service.script(id, 'paid');
    await service.quiet();
    // Concurrent events of one payment may each raise it.
    const alarms = refused.count();
    await service.sendEvent({ object: order.provider.session ?? '' });

    expect(await settled(person, id)).toEqual(['created', 0]);
    expect(alarms).toBeGreaterThan(0);
    expect(refused.count()).toBe(alarms);
    refused.restore();
    const { reconciliation } = await services().payments();
    const problem = 'the payment differs from the order';
    expect((await reconciliation.fromOrders()).differences).toContainEqual({ id, problem });
    await (await services().payments()).store.save((await service.order(person, id))!, { state: 'failed' });
  });

  it('is not granted if another currency was charged', async () => {
    const person = await service.person();
    await service.bought(person);
    const { id } = await service.opened(person, { pack: large.id });
    const { customer = '' } = await service.profile(person);
    const metadata = { account: String(person.id), order: id };
    const session = await service.stripe().checkout.sessions.create({
      mode: 'payment',
      customer,
      metadata,
      line_items: [
        { price_data: { currency: 'eur', product_data: { name: 'x' }, unit_amount: large.cents }, quantity: 1 },
      ],
      success_url: 'http://127.0.0.1:1/',
    });
    const { store } = await services().payments();
    await store.save((await service.order(person, id))!, { provider: { session: session.id } });
    const refused = refusedPayments();

    await service.script(session.id, 'paid');

    expect((await settled(person, id))[1]).toBe(granted);
    expect(refused.count()).toBe(1);
    refused.restore();
    await store.save((await service.order(person, id))!, { state: 'failed' });
  });
});

describe('a checkout', () => {
  it('is refused for an unknown pack or plan, for both or neither, and for other people’s payments', async () => {
    const [person, other] = [await service.person(), await service.person()];
    const statuses = [];
    for (const body of [{ pack: 'tiny' }, { planId: 'gold' }, { pack: small.id, planId: 'dev_pass' }, {}, []])
      statuses.push(code(await service.checkout(person, body)));
    expect(statuses).toEqual(Array.from({ length: 5 }, () => '400 INVALID_FORMAT'));
    expect(code(await service.checkout(person, { planId: 'enterprise' }))).toBe('403 INSUFFICIENT_PERMISSIONS');
    expect(code(await service.checkout(person, { planId: 'freemium' }))).toBe('409 INVALID_STATE');
    const { id } = await service.opened(person);
    expect(code(await service.as('GET', `/api/payments/${id}`, other))).toBe('404 NOT_FOUND');
    expect(await service.payments(other)).toEqual([]);
  });

  it('uses the price and credits of the pack and ignores those in the request', async () => {
    const person = await service.person();
    const { body } = await service.checkout(person, { pack: small.id, amount: 1, credits: 1_000_000, cents: 1 });
    expect(body.data).toMatchObject({ amount: small.cents, credits: small.credits, currency: 'usd' });
    const session = await service
      .stripe()
      .checkout.sessions.retrieve((await service.order(person, body.data.id))!.provider.session ?? '');
    expect(session).toMatchObject({ amount_total: small.cents, currency: 'usd' });
  });

  it('is limited to five an hour', async () => {
    const person = await service.person();
    for (let count = 0; count < 5; count++) await service.opened(person);
    expect(code(await service.checkout(person))).toBe('429 RATE_LIMIT_EXCEEDED');
  });

  it('is created once per idempotency key, even concurrently, and refuses another pack with it', async () => {
    const person = await service.person();
    const headers = { 'idempotency-key': 'checkout-1' };
    const send = (pack: string) =>
      service.call('POST', '/api/payments/checkout', { key: person.key, headers, body: { pack } });
    const replies = await Promise.all([send(small.id), send(small.id), send(small.id)]);
    const repeated = await send(small.id);
    expect(new Set(replies.map(({ status }) => status)).difference(new Set([201, 409]))).toEqual(new Set());
    expect(await service.payments(person)).toHaveLength(1);
    expect(repeated.body.data.id).toBe((await service.payments(person))[0].id);
    expect((await send(large.id)).status).toBeGreaterThanOrEqual(400);
    expect(await service.payments(person)).toHaveLength(1);
  });

  it('requires a confirmed email address', async () => {
    const { cookie } = await service.registered();
    const reply = await service.call('POST', '/api/payments/checkout', { cookie, body: { pack: small.id } });
    expect(code(reply)).toBe('403 ACCOUNT_NOT_CONFIRMED');
  });
});

it('lists payments newest first, in pages', async () => {
  const person = await service.person();
  const ids = [];
  for (let count = 0; count < 3; count++) ids.unshift((await service.opened(person)).id);
  const first = (await service.as('GET', '/api/payments?limit=2', person)).body.data;
  const second = (await service.as('GET', `/api/payments?limit=2&cursor=${first.nextCursor}`, person)).body.data;
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
  expect(second.nextCursor).toBeNull();
  const { items } = (await service.as('GET', '/api/payments/packs', person)).body.data;
  expect(items[0]).toEqual({
    id: small.id,
    credits: small.credits,
    amount: small.cents,
    currency: 'usd',
    validMonths: 12,
  });
});

it('ledgers are exact, and no credits exist without a payment', async () => {
  const { reconciliation } = await services().payments();
  expect((await reconciliation.fromOrders()).differences).toEqual([]);
  expect(await service.auditFindings()).toEqual([]);
});
