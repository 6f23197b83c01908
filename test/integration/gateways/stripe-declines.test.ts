import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Order } from '#domain/payments/order.ts';
import { ChargeRefused, ProviderUnavailable } from '#domain/payments/provider.ts';
import { stripeProvider } from '#gateways/stripe/provider.ts';

/** Codes that the stand-in's cards do not have. */
let answer = { status: 402, error: {} };
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(answer.status, { 'content-type': 'application/json', 'stripe-should-retry': 'false' });
  response.end(JSON.stringify({ error: answer.error }));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const order: Order = {
  accountId: 1,
  id: 'ord_1',
  kind: 'top_up',
  state: 'created',
  cents: 500,
  credits: 500,
  createdAt: 0,
  provider: {},
  revision: 1,
};

async function refusal(status: number, error: object): Promise<unknown> {
  answer = { status, error };
  const { port } = server.address() as AddressInfo;
  const value = JSON.stringify({ apiKey: 'sk_test_x', webhookSecrets: ['whsec_x'] });
  const provider = stripeProvider({ secret: { value }, api: `http://127.0.0.1:${port}` });
  const card = { id: 'pm_1', brand: 'visa', last4: '4242', expMonth: 1, expYear: 2030 };
  return provider.chargeInvoice(order, { customer: 'cus_1', card }, 'x').catch((problem: unknown) => problem);
}

it.each([
  ['card_declined', 'lost_card', 'hard_decline'],
  ['card_declined', 'stolen_card', 'hard_decline'],
  ['card_declined', 'fraudulent', 'hard_decline'],
  ['expired_card', undefined, 'hard_decline'],
  ['card_declined', 'insufficient_funds', 'declined'],
  ['card_declined', 'generic_decline', 'declined'],
  ['card_declined', 'a_code_of_the_future', 'declined'],
  ['card_declined', 'authentication_required', 'action_required'],
  ['authentication_required', undefined, 'action_required'],
])('the code %s with the decline code %s maps to the refusal %s', async (code, decline, reason) => {
  const problem = await refusal(402, { type: 'card_error', code, ...(decline && { decline_code: decline }) });
  expect(problem).toBeInstanceOf(ChargeRefused);
  expect(problem).toMatchObject({ reason });
});

it.each([
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [401, 'authentication_error'],
])('the status %i leaves the effect of the request unknown', async (status, type) => {
  expect(await refusal(status, { type })).toBeInstanceOf(ProviderUnavailable);
});
