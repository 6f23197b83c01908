import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '#local/shared/loopback.ts';
import { customerWithCard, planPrice, startTestStripe, type TestStripe } from '#test/payments/stripe-server.ts';

let server: TestStripe;
beforeEach(async () => {
  server = await startTestStripe();
});
afterEach(() => server.close());

const raw = (path: string, init: { method?: string; body?: string } = {}, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${server.secretKey}`, ...headers } });

describe('requests', () => {
  it('require the secret key', async () => {
    const response = await fetch(`${server.url}/v1/customers`, { headers: { authorization: 'Bearer sk_test_other' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('from web pages are refused', async () => {
    const response = await raw('/v1/customers', {}, { origin: 'http://evil.example' });
    expect(response.status).toBe(403);
  });

  it.each([
    ['unknown parameters', 'colour=red', { code: 'parameter_unknown', param: 'colour' }],
    ['unknown nested parameters', 'address[planet]=mars', { code: 'parameter_unknown', param: 'address[planet]' }],
    ['fractions', 'balance=1.5', { code: 'parameter_invalid_integer', param: 'balance' }],
    ['foreign cards', 'invoice_settings[default_payment_method]=pm_x', { code: 'resource_missing' }],
  ])('are refused for %s', async (_, body, error) => {
    const response = await raw('/v1/customers', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', ...error } });
  });

  it('name a missing parameter', async () => {
    const response = await raw('/v1/refunds?limit=0');
    expect(await response.json()).toMatchObject({ error: { param: 'limit' } });
    const created = await raw('/v1/prices', { method: 'POST', body: 'currency=usd&unit_amount=5' });
    expect(await created.json()).toMatchObject({ error: { code: 'parameter_missing', param: 'product' } });
  });

  it.each([
    ['a negative amount', { unit_amount: -5, currency: 'usd' }],
    ['an unknown currency', { unit_amount: 500, currency: 'xyz' }],
  ])('refuse %s', async (_, price) => {
    const { id: product } = await server.stripe.products.create({ name: 'Thing' });
    await expect(server.stripe.prices.create({ product, ...price })).rejects.toBeInstanceOf(
      Stripe.errors.StripeInvalidRequestError,
    );
  });

  it('return 501 for an unsupported route, and 404 for a missing object', async () => {
    await expect(server.stripe.coupons.list()).rejects.toMatchObject({ statusCode: 501 });
    await expect(server.stripe.customers.retrieve('cus_x')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
  });

  it('return the account', async () => {
    expect(await server.stripe.accounts.retrieveCurrent()).toMatchObject({ id: 'acct_local', charges_enabled: true });
  });

  it('above 1 MiB are refused', async () => {
    const response = await raw('/v1/customers', { method: 'POST', body: `name=${'a'.repeat(1024 * 1024)}` });
    expect(response.status).toBe(400);
  });

  it('have an id, which their events contain', async () => {
    const customer = await server.stripe.customers.create({}, { idempotencyKey: 'key-1' });
    await server.advance();
    expect(server.received[0]!.event).toMatchObject({
      type: 'customer.created',
      livemode: false,
      api_version: '2026-10-28.endive',
      request: { id: customer.lastResponse.requestId, idempotency_key: 'key-1' },
      data: { object: { id: customer.id } },
    });
  });
});

describe('objects', () => {
  it('are listed newest first, page by page in both directions', async () => {
    for (let index = 0; index < 25; index += 1) await server.stripe.customers.create({ name: `C${index}` });
    const all = await server.stripe.customers.list({ limit: 10 }).autoPagingToArray({ limit: 100 });
    expect(all.map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, index) => `C${24 - index}`));

    const page = await server.stripe.customers.list({ limit: 3, ending_before: all[10]!.id });
    expect(page).toMatchObject({
      has_more: true,
      url: '/v1/customers',
      data: [{ name: 'C17' }, { name: 'C16' }, { name: 'C15' }],
    });
    const last = await server.stripe.customers.list({ limit: 3, starting_after: all[21]!.id });
    expect(last).toMatchObject({ has_more: false, data: [{ name: 'C2' }, { name: 'C1' }, { name: 'C0' }] });
  });

  it('expand up to four levels, and no deeper', async () => {
    const { customer, method } = await customerWithCard(server.stripe);
    const price = await planPrice(server.stripe);
    const { id } = await server.stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });
    const subscription = await server.stripe.subscriptions.retrieve(id, {
      expand: [
        'latest_invoice.payments.data.payment.payment_intent',
        'customer.invoice_settings.default_payment_method',
      ],
    });
    expect(subscription).toMatchObject({
      latest_invoice: { payments: { data: [{ payment: { payment_intent: { status: 'succeeded' } } }] } },
      customer: { invoice_settings: { default_payment_method: { id: method.id } } },
    });
    await expect(server.stripe.subscriptions.retrieve(id, { expand: ['colour'] })).rejects.toThrow(
      /cannot be expanded/,
    );
    await expect(server.stripe.subscriptions.list({ expand: ['data.latest_invoice'] })).resolves.toMatchObject({
      data: [{ latest_invoice: { object: 'invoice' } }],
    });
  });

  it('change their metadata by key, and unset it with an empty value', async () => {
    const { id } = await server.stripe.customers.create({ metadata: { a: '1', b: '2' } });
    const changed = await server.stripe.customers.update(id, { metadata: { a: '', c: '3' } });
    expect(changed.metadata).toEqual({ b: '2', c: '3' });
    expect((await server.stripe.customers.update(id, { metadata: '' })).metadata).toEqual({});
  });

  it('of products accept an id, which must be unique', async () => {
    await server.stripe.products.create({ id: 'plan_a', name: 'A' });
    await expect(server.stripe.products.create({ id: 'plan_a', name: 'A' })).rejects.toMatchObject({
      code: 'resource_already_exists',
    });
  });

  it('survive a restart', async () => {
    const { id } = await server.stripe.customers.create({ name: 'Ada' });
    await server.close();
    server = await startTestStripe({ file: server.file });
    expect(await server.stripe.customers.retrieve(id)).toMatchObject({ name: 'Ada' });
  });

  it('keep their port, and with it the links to their pages, after a restart', async () => {
    const { url } = server;
    await server.close();
    server = await startTestStripe({ file: server.file });
    expect(server.url).toBe(url);
  });

  it('move to another port if theirs is in use after a restart', async () => {
    const { port, file } = server;
    const { id } = await server.stripe.customers.create({ name: 'Ada' });
    await server.close();
    const other = await listen((_, response) => response.end(), port);
    server = await startTestStripe({ file });
    expect(server.port).not.toBe(port);
    expect(await server.stripe.customers.retrieve(id)).toMatchObject({ name: 'Ada' });
    await other.close();
  });

  it('of a deleted customer are cancelled and detached', async () => {
    const { customer, method } = await customerWithCard(server.stripe);
    const price = await planPrice(server.stripe);
    const { id } = await server.stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] });

    await server.stripe.customers.del(customer.id);

    expect(await server.stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' });
    expect(await server.stripe.paymentMethods.retrieve(method.id)).toMatchObject({ customer: null });
    await server.move({ days: 40 });
  });
});

describe('idempotency keys', () => {
  const idempotencyKey = 'order-1';

  it('replay the response', async () => {
    const first = await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    const second = await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    expect(second.id).toBe(first.id);
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect((await server.stripe.customers.list()).data).toHaveLength(1);
  });

  it('are refused with other parameters', async () => {
    await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    await expect(server.stripe.customers.create({ name: 'Bob' }, { idempotencyKey })).rejects.toBeInstanceOf(
      Stripe.errors.StripeIdempotencyError,
    );
  });

  it('are refused while the first request runs', async () => {
    server.faults.order({ fault: 'delay', delayMs: 300, path: '/v1/customers' });
    const first = server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    await expect
      .poll(() => server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey }).catch((error) => error), {
        interval: 20,
      })
      .toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    await first;
  });

  it('store declines, but no failed validation', async () => {
    await expect(server.stripe.products.create({ name: '' }, { idempotencyKey })).rejects.toMatchObject({
      statusCode: 400,
    });
    await server.stripe.products.create({ name: 'A' }, { idempotencyKey });

    const { customer } = await customerWithCard(server.stripe, 'pm_card_chargeCustomerFail');
    const invoice = await server.stripe.invoices.create({ customer: customer.id, auto_advance: false });
    await server.stripe.invoiceItems.create({
      customer: customer.id,
      invoice: invoice.id,
      amount: 900,
      currency: 'usd',
    });
    for (const _ of [1, 2])
      await expect(
        server.stripe.invoices.pay(invoice.id, { off_session: true }, { idempotencyKey: 'pay' }),
      ).rejects.toMatchObject({ statusCode: 402, code: 'card_declined' });
    expect(await server.stripe.invoices.retrieve(invoice.id)).toMatchObject({ attempt_count: 1 });
  });

  it('survive a restart and are forgotten after 24 hours', async () => {
    const first = await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    await server.close();
    server = await startTestStripe({ file: server.file });
    expect((await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey })).id).toBe(first.id);
    server.pass(25);
    const later = await server.stripe.customers.create({ name: 'Ada' }, { idempotencyKey });
    expect(later.id).not.toBe(first.id);
  });
});

describe('faults', () => {
  it('lose the response after the request has taken effect', async () => {
    server.faults.order({ fault: 'lost_reply', path: '/v1/customers', method: 'POST' });
    const retrying = server.client({ maxNetworkRetries: 1 });
    const customer = await retrying.customers.create({ name: 'Ada' });
    expect((await server.stripe.customers.list()).data.map(({ id }) => id)).toEqual([customer.id]);
  });

  it.each([
    ['rate_limit', 429],
    ['error', 500],
    ['conflict', 409],
  ] as const)('%s changes nothing', async (fault, statusCode) => {
    server.faults.order({ fault });
    await expect(server.stripe.customers.create({})).rejects.toMatchObject({ statusCode });
    expect((await server.stripe.customers.list()).data).toEqual([]);
  });

  it('are set over HTTP', async () => {
    const order = (body: unknown) =>
      fetch(`${server.url}/_control/faults`, { method: 'POST', body: JSON.stringify(body) });
    expect(await (await order({ fault: 'error', count: 2 })).json()).toMatchObject({
      active: [{ fault: 'error', count: 2 }],
    });
    expect((await order({ fault: 'sing' })).status).toBe(400);
    await fetch(`${server.url}/_control/faults`, { method: 'DELETE' });
    await expect(server.stripe.customers.list()).resolves.toMatchObject({ data: [] });
  });

  it('of a payment are refused over HTTP if the outcome is impossible', async () => {
    const order = (id: string, outcome: string) =>
      fetch(`${server.url}/_control/payments/${id}`, { method: 'POST', body: JSON.stringify({ outcome }) });
    const { id } = await server.stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [
        { price_data: { currency: 'usd', unit_amount: 1000, product_data: { name: 'Credits' } }, quantity: 1 },
      ],
      success_url: 'http://127.0.0.1:1/done',
    });
    expect((await order('order_9', 'paid')).status).toBe(400);
    expect((await order(id, 'won')).status).toBe(400);
    expect((await order(id, 'sings')).status).toBe(400);
    expect((await order(id, 'paid')).status).toBe(200);
    expect(await server.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
  });
});
