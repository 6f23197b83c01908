import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, beforeEach } from 'vitest';
import { startStripe } from '#local/payments/stripe.ts';
import { testFolder } from '../folder.ts';

export interface Received {
  readonly body: string;
  readonly signature: string;
  readonly event: Stripe.Event;
}

/** The server with a movable clock, the real client, and an endpoint that receives its events. */
export async function startTestStripe({
  start = '2027-01-31T10:00:00Z',
  file,
}: { start?: string; file?: string } = {}) {
  let time = Date.parse(start);
  let status = 200;
  const received: Received[] = [];
  const endpoint = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      if (status === 200)
        received.push({ body, signature: String(request.headers['stripe-signature']), event: JSON.parse(body) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  const path = file ?? join(await testFolder(), 'payments.sqlite');
  const webhookSecret = 'whsec_test_endpoint';
  const server = await startStripe({
    now: () => time,
    file: path,
    sendEvents: { url: () => `http://127.0.0.1:${port}/events`, secret: webhookSecret },
    log: () => undefined,
  });
  const client = (options: Partial<Stripe.StripeConfig> = {}) => {
    const { hostname, port: serverPort } = new URL(server.url);
    return new Stripe(server.secretKey, {
      host: hostname,
      port: Number(serverPort),
      protocol: 'http',
      telemetry: false,
      maxNetworkRetries: 0,
      ...options,
    });
  };
  return {
    ...server,
    file: path,
    stripe: client(),
    client,
    received,
    types: () => received.map(({ event }) => event.type),
    answer: (next: number) => void (status = next),
    now: () => time,
    seconds: () => Math.floor(time / 1000),
    /** Moves the clock and does nothing else. */
    pass: (hours: number) => void (time += 3_600_000 * hours),
    /** Moves the clock and does what is due. */
    async move(to: string | { days?: number; hours?: number; seconds?: number }) {
      const { days = 0, hours = 0, seconds = 0 } = typeof to === 'string' ? {} : to;
      time = typeof to === 'string' ? Date.parse(to) : time + 1000 * (seconds + 3600 * hours + 86_400 * days);
      await server.advance();
    },
    async close() {
      await server.close();
      endpoint.closeAllConnections();
      await new Promise((closed) => endpoint.close(closed));
    },
  };
}

export type TestStripe = Awaited<ReturnType<typeof startTestStripe>>;

/** A new server for each test of a file. */
export function useTestStripe(): TestStripe {
  const server = {} as TestStripe;
  beforeEach(async () => void Object.assign(server, await startTestStripe()));
  afterEach(() => server.close());
  return server;
}

/** Posts a form of a page without following its redirect. */
export async function postForm(url: string, fields: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

export const cardFields = (number: string): Record<string, string> => ({
  do: 'pay',
  number,
  expiry: '12 / 35',
  cvc: '123',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
});

/** A customer with a saved card that pays invoices by default. */
export async function customerWithCard(stripe: Stripe, token = 'pm_card_visa') {
  const customer = await stripe.customers.create({
    email: 'ada@example.com',
    name: 'Ada',
    metadata: { account: 'acc' },
  });
  const method = await stripe.paymentMethods.attach(token, { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } });
  return { customer, method };
}

export async function planPrice(stripe: Stripe, cents = 2999, id = `plan_${cents}`) {
  const product = await stripe.products.create({ id, name: `Plan ${cents}` });
  return stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: cents,
    recurring: { interval: 'month' },
  });
}
