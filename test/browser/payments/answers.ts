import type { Page } from 'playwright-core';

type Json = Record<string, unknown>;

const paymentId = 'ord_aaaaaaaaaaaaaaaaaaaa';
export const hosted = 'https://pay.example.com/checkout/1';

export const payment = (parts: Json = {}): Json => ({
  id: paymentId,
  kind: 'pack',
  status: 'granted',
  credits: 1000,
  amount: 1000,
  currency: 'usd',
  receiptUrl: 'https://pay.example.com/receipt/1',
  invoiceUrl: 'https://pay.example.com/invoice/1.pdf',
  createdAt: '2026-11-27T09:00:00.000Z',
  paidAt: '2026-11-27T09:01:00.000Z',
  refundedAmount: 0,
  ...parts,
});

const card = { brand: 'visa', last4: '4242', expMonth: 4, expYear: 2031 };
export const topUp = (parts: Json = {}): Json => ({
  state: 'off',
  threshold: null,
  pack: null,
  monthlyLimit: null,
  lastFailure: null,
  card,
  ...parts,
});

export const subscription = (parts: Json = {}): Json => ({
  id: 'sub_1',
  planId: 'dev_pass',
  status: 'active',
  monthlyCredits: 5000,
  creditsUsed: 0,
  nextBillingDate: '2026-12-27',
  paidUntil: '2026-12-27T09:00:00.000Z',
  price: 29.99,
  ...parts,
});

const packs = [
  { id: 'small', credits: 1000, amount: 1000, currency: 'usd', validMonths: 12 },
  { id: 'large', credits: 10_000, amount: 8550, currency: 'usd', validMonths: 12 },
];

/** Answers the page's requests for a URL with data. */
export const respond = (page: Page, url: string, data: unknown): Promise<unknown> =>
  page.route(url, (route) => route.fulfill(success(data)));

const success = (data: unknown, status = 200) => ({ status, json: { error: false, message: 'SUCCESS', status, data } });
const refusal = (status: number, message: string, detail: string) => {
  return { status, json: { error: true, message, status, data: null, detail } };
};

interface Answers {
  readonly takesPayments?: boolean;
  /** Successive responses for one payment. The last one stays. Without any, the payment is unknown. */
  readonly payment?: readonly Json[];
  /** Pages of the list. */
  readonly list?: readonly (readonly Json[])[];
  readonly topUp?: Json;
}

interface Sent {
  readonly path: string;
  readonly body: unknown;
}

/** Answers the page's requests about payments in place of a provider, and records the changes. */
export async function answer(
  page: Page,
  { payment: states = [], list = [[]], topUp: rule = topUp(), takesPayments = true }: Answers,
) {
  const sent: Sent[] = [];
  const left = [...states];
  let saved = rule;

  function answerTo(path: string, query: URLSearchParams, body: Json | null | undefined) {
    if (path === '/packs') return success({ items: packs });
    if (path === '/portal') return success({ url: 'https://pay.example.com/portal/1' });
    if (path === '/checkout') {
      const { id, kind, credits, amount, currency } = payment();
      const expiresAt = '2026-11-27T10:00:00.000Z';
      return success({ id, url: hosted, status: 'created', kind, credits, amount, currency, expiresAt }, 201);
    }
    if (path === '/auto-top-up') {
      if (body !== undefined) saved = body === null ? topUp() : topUp({ state: 'on', ...body });
      return success(saved);
    }
    if (path === '') {
      const index = Number(query.get('cursor')?.slice('ord_'.length) ?? 0);
      const next = index + 1 < list.length ? `ord_${String(index + 1).padStart(20, '0')}` : null;
      return success({ items: list[index], nextCursor: next });
    }
    const next = left.length > 1 ? left.shift() : left[0];
    return next ? success(next) : refusal(404, 'NOT_FOUND', 'There is no such payment.');
  }

  await page.route('**/config.json', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), payments: takesPayments } });
  });
  await page.route('https://pay.example.com/**', (route) =>
    route.fulfill({ body: 'Hosted page', contentType: 'text/html' }),
  );
  await page.route(/\/api\/payments/, async (route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    const path = pathname.slice('/api/payments'.length);
    const body = request.method() === 'GET' ? undefined : request.postDataJSON();
    if (request.method() !== 'GET') sent.push({ path, body });
    await route.fulfill(answerTo(path, searchParams, body));
  });
  return sent;
}
