import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { offer } from '#contract/offer/current-offer.ts';
import { cardFields, customerWithCard, planPrice, postForm, useTestStripe } from '#test/payments/stripe-server.ts';

const server = useTestStripe();

const openSession = async (name = 'Credits') =>
  server.stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price_data: { currency: 'usd', unit_amount: 1000, product_data: { name } }, quantity: 2 }],
    success_url: 'http://127.0.0.1:1/done',
    cancel_url: 'http://127.0.0.1:1/back?a=1&b=2',
  });

describe('the checkout page', () => {
  it('shows the line items, the total, the link back and the test cards', async () => {
    const { url } = await openSession('<b>Credits</b>');
    const response = await fetch(url!);
    const html = await response.text();
    expect(html).toContain('&lt;b&gt;Credits&lt;/b&gt; × 2');
    expect(html).not.toContain('<b>Credits');
    expect(html).toContain('Pay $20.00');
    expect(html).toContain(`<p class="seller">${offer.product.name}</p>`);
    expect(html).toContain('href="http://127.0.0.1:1/back?a=1&amp;b=2"');
    expect(html).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:1;");
    const filled = await (await fetch(`${url}?card=4000000000009995`)).text();
    expect(filled).toContain('value="4000 0000 0000 9995"');
  });

  it.each([
    ['no number', { number: '' }, 'Enter a card number.'],
    ['a short number', { number: '4242' }, 'The card number is incomplete.'],
    ['a mistyped number', { number: '4242424242424241' }, 'The card number is invalid.'],
    ['a real card', { number: '4111111111111111' }, 'Only test cards work here.'],
    ['a month that does not exist', { expiry: '13 / 40' }, 'Enter the expiry date as MM / YY.'],
    ['an expired card', { expiry: '12 / 26' }, 'This card has expired.'],
    ['a short code', { cvc: '1' }, 'security code'],
    ['no name', { name: ' ' }, 'Enter the name on the card.'],
    ['no email', { email: 'ada' }, 'Enter your email address.'],
  ])('reports %s at its field and keeps the other fields', async (_, fields, error) => {
    const { url, id } = await openSession();
    const { status, html } = await postForm(url!, { ...cardFields('4242424242424242'), ...fields });
    expect(status).toBe(422);
    expect(html).toContain(error);
    const [name] = Object.keys(fields);
    expect(html).toContain(`aria-describedby="${name}-error"`);
    expect(html.match(/aria-invalid="true"/g)).toHaveLength(1);
    expect(await server.stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' });
  });

  it('accepts a card in its last month', async () => {
    const { url } = await openSession();
    expect((await postForm(url!, { ...cardFields('4242424242424242'), expiry: '01/2027' })).status).toBe(303);
  });

  it('is not paid twice', async () => {
    const { url, id } = await openSession();
    await postForm(url!, cardFields('4242424242424242'));
    expect((await postForm(url!, cardFields('4242424242424242'))).html).toContain('This payment is complete');
    expect((await server.stripe.charges.list()).data).toHaveLength(1);
    expect(await server.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
  });
});

describe('requests of browsers', () => {
  /** Status of a request with exactly these headers, since fetch adds its own. */
  const statusOf = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? String(new URLSearchParams(cardFields('4242424242424242'))) : undefined);
    return promise;
  };

  it('can open a page from any site, but submit forms only from its own', async () => {
    const session = await openSession();
    const url = session.url!;
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(await statusOf('GET', url, link)).toBe(200);
    expect(await statusOf('GET', url, { ...link, 'sec-fetch-dest': 'iframe' })).toBe(403);
    for (const origin of [{ origin: 'http://evil.example' }, { origin: 'null' }, {}])
      expect(await statusOf('POST', url, { ...origin, ...link })).toBe(403);
    expect(await statusOf('GET', url, { ...link, host: 'evil.example' })).toBe(403);
    expect(await server.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'open' });
    expect(await statusOf('POST', url, { origin: server.url, 'sec-fetch-site': 'same-origin' })).toBe(303);
  });

  it('reach neither the API nor the control routes', async () => {
    for (const path of ['/v1/customers', '/_control/faults']) {
      const headers = { origin: server.url, authorization: `Bearer ${server.secretKey}` };
      expect((await fetch(`${server.url}${path}`, { headers })).status).toBe(403);
    }
  });

  it('return 404 for unknown pages', async () => {
    for (const path of ['/', '/pay/cs_x', '/invoices/in_x/pdf', '/receipts/x', '/portal/x'])
      expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  });
});

describe('the portal', () => {
  const open = async (token?: string) => {
    const { customer, method } = await customerWithCard(server.stripe, token);
    const price = await planPrice(server.stripe);
    const subscription = await server.stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      default_payment_method: method.id,
    });
    const { url } = await server.stripe.billingPortal.sessions.create({
      customer: customer.id,
      return_url: 'http://127.0.0.1:1/billing',
    });
    return { customer, method, subscription, url };
  };

  it('lists cards and invoices, with a link back', async () => {
    const { url } = await open();
    const html = await (await fetch(url)).text();
    expect(html).toContain('Visa •••• 4242');
    expect(html).toContain('$29.99');
    expect(html).toContain('href="http://127.0.0.1:1/billing"');
  });

  it('replaces the card of invoices and subscriptions', async () => {
    const { url, customer, subscription, method } = await open();
    expect((await postForm(url, cardFields('4000000000000002'))).html).toContain('declined');
    expect((await postForm(url, cardFields('5555555555554444'))).status).toBe(303);
    const { data } = await server.stripe.customers.listPaymentMethods(customer.id);
    expect(data.map(({ card }) => card!.last4)).toEqual(['4444', '4242']);
    expect(await server.stripe.customers.retrieve(customer.id)).toMatchObject({
      invoice_settings: { default_payment_method: data[0]!.id },
    });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      default_payment_method: data[0]!.id,
    });

    await postForm(url, { do: 'default', card: method.id });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      default_payment_method: method.id,
    });
    await postForm(url, { do: 'remove', card: method.id });
    expect(await server.stripe.customers.retrieve(customer.id)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    });
    expect(await server.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ default_payment_method: null });
    await server.advance();
    expect(server.types()).toEqual(expect.arrayContaining(['payment_method.detached', 'customer.updated']));
  });

  it("cannot change another customer's cards, and expires", async () => {
    const { url, method } = await open();
    const other = await server.stripe.customers.create({});
    const session = await server.stripe.billingPortal.sessions.create({ customer: other.id });
    expect((await postForm(session.url, { do: 'remove', card: method.id })).status).toBe(400);
    expect(await server.stripe.paymentMethods.retrieve(method.id)).not.toMatchObject({ customer: null });
    await server.move({ hours: 2 });
    expect((await fetch(url)).status).toBe(410);
  });

  it('cannot change or cancel subscriptions', async () => {
    const configurations = server.stripe.billingPortal.configurations;
    expect((await configurations.list({ is_default: true })).data).toHaveLength(1);
    const { id } = await configurations.create({ features: { invoice_history: { enabled: true } } });
    expect(await configurations.retrieve(id)).toMatchObject({
      features: { subscription_cancel: { enabled: false }, payment_method_update: { enabled: false } },
    });
    await expect(configurations.create({ features: { subscription_cancel: { enabled: true } } })).rejects.toMatchObject(
      { statusCode: 400 },
    );
  });
});
