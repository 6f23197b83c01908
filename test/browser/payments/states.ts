import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { blankPage, looksRight, signInDemo } from './payments-stage.ts';

type Json = Record<string, unknown>;

const payment = (parts: Json = {}): Json => ({
  id: 'ord_aaaaaaaaaaaaaaaaaaaa',
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
const topUp = (parts: Json = {}): Json => ({
  state: 'off',
  threshold: null,
  pack: null,
  monthlyLimit: null,
  lastFailure: null,
  card,
  ...parts,
});

interface Answers {
  /** Successive responses for one payment. The last one stays. */
  readonly payment?: readonly Json[];
  /** Pages of the list. */
  readonly list?: readonly (readonly Json[])[];
  readonly topUp?: Json;
  readonly checkoutError?: { status: number; message: string; detail: string };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const packs = [
  { id: 'small', credits: 1000, amount: 1000, currency: 'usd', validMonths: 12 },
  { id: 'large', credits: 10_000, amount: 8550, currency: 'usd', validMonths: 12 },
];
const hosted = 'https://pay.example.com/checkout/1';

/** Answers the page's requests about payments, and records the changes. States like these take days with a provider. */
async function answer(page: Page, answers: Answers): Promise<Sent[]> {
  const sent: Sent[] = [];
  const left = [...(answers.payment ?? [])];
  let saved = answers.topUp ?? topUp();
  await page.route('**/config.json', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), payments: true } });
  });
  await page.route('https://pay.example.com/**', (route) =>
    route.fulfill({ body: 'Hosted page', contentType: 'text/html' }),
  );
  await page.route('**/api/payments**', (route) => route.fallback());
  await page.route(/\/api\/payments/, async (route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    const path = pathname.slice('/api/payments'.length);
    const method = request.method();
    if (method !== 'GET') sent.push({ method, path, body: request.postDataJSON() });
    const ok = (data: unknown, status = 200) =>
      route.fulfill({ status, json: { error: false, message: 'SUCCESS', status, data } });
    const refused = ({ status, message, detail }: { status: number; message: string; detail: string }) =>
      route.fulfill({ status, json: { error: true, message, status, data: null, detail } });
    if (path === '/packs') return ok({ items: packs });
    if (path === '/portal') return ok({ url: 'https://pay.example.com/portal/1' });
    if (path === '/checkout') {
      if (answers.checkoutError) return refused(answers.checkoutError);
      const { id, kind, credits, amount, currency } = payment();
      return ok(
        { id, url: hosted, status: 'created', kind, credits, amount, currency, expiresAt: '2026-11-27T10:00:00.000Z' },
        201,
      );
    }
    if (path === '/auto-top-up') {
      const body = method === 'PUT' ? request.postDataJSON() : undefined;
      if (method === 'PUT') saved = body === null ? topUp() : topUp({ state: 'on', ...body });
      return ok(saved);
    }
    if (path === '') {
      const pages = answers.list ?? [[]];
      const index = Number(searchParams.get('cursor')?.slice('ord_'.length) ?? 0);
      const more = index + 1 < pages.length;
      return ok({ items: pages[index], nextCursor: more ? `ord_${String(index + 1).padStart(20, '0')}` : null });
    }
    const next = left.length > 1 ? left.shift() : left[0];
    return next ? ok(next) : refused({ status: 404, message: 'NOT_FOUND', detail: 'There is no such payment.' });
  });
  return sent;
}

const id = String(payment()['id']);
const notice = (page: Page) =>
  page.locator('#content').getByRole('status').or(page.locator('#content').getByRole('alert'));

export function stateTests(): void {
  test('a returned payment is followed until its credits are added, and shows the new balance', async () => {
    const page = await blankPage();
    await answer(page, {
      payment: [payment({ status: 'created', url: hosted }), payment({ status: 'paid' }), payment()],
    });
    await signInDemo(page, `/billing?payment=${id}`);
    await notice(page).getByText('Waiting for the payment of $10.00 for 1,000 credits…').waitFor();
    expect(await page.getByRole('link', { name: 'Continue to payment' }).getAttribute('href')).toBe(hosted);
    await notice(page).getByText('Paid $10.00: 1,000 credits were added. Your balance is now').waitFor();
    expect(await page.getByRole('link', { name: 'View receipt' }).getAttribute('href')).toBe(
      'https://pay.example.com/receipt/1',
    );
    await looksRight(page, 'granted');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await notice(page).getByText('Paid $10.00').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  test.each([
    [
      'cancelled',
      payment({ status: 'created', url: hosted }),
      '&cancelled=1',
      /You left the payment page. Nothing was charged/,
      'Continue to payment',
    ],
    [
      'failed',
      payment({ status: 'failed' }),
      '',
      /The payment of \$10.00 for 1,000 credits failed. Nothing was charged./,
      'Buy credits',
    ],
    [
      'expired',
      payment({ status: 'expired', kind: 'plan', planId: 'dev_pass' }),
      '',
      /The payment page for the Dev Pass expired/,
      'Choose a plan',
    ],
    [
      'action-required',
      payment({ status: 'action_required', url: hosted }),
      '',
      /Your bank asks you to confirm the payment/,
      'Confirm the payment',
    ],
    [
      'refunded',
      payment({ status: 'refunded', refundedAmount: 400 }),
      '',
      /\$4.00 of \$10.00 for 1,000 credits were refunded/,
      'View receipt',
    ],
    [
      'disputed',
      payment({ status: 'disputed', refundedAmount: 1000 }),
      '',
      /is disputed with your bank/,
      'View receipt',
    ],
  ])('a returned payment that is %s is explained with the next step', async (name, state, query, text, step) => {
    const page = await blankPage();
    await answer(page, { payment: [state] });
    await signInDemo(page, `/billing?payment=${id}${query}`);
    await notice(page).getByText(text).waitFor();
    await notice(page).getByRole('link', { name: step }).waitFor();
    await looksRight(page, `returned-${name}`);
  });

  test('an unknown payment is an error', async () => {
    const page = await blankPage();
    await answer(page, {});
    await signInDemo(page, `/billing?payment=${id}`);
    await page.getByText(`This account has no payment ${id}.`).waitFor();
    await looksRight(page, 'returned-unknown');
  });

  test('the billing page of a new account is empty, and leads to the packs', async () => {
    const page = await blankPage();
    const sent = await answer(page, { topUp: topUp({ card: null }) });
    await signInDemo(page, '/billing');
    await page.getByText('No payments yet').waitFor();
    await page.getByText('No card is saved. Your first payment saves one.').waitFor();
    await page.getByText('Valid until').first().waitFor();
    await looksRight(page, 'billing-empty');
    await page.getByRole('button', { name: 'Buy 10,000 credits for $85.50' }).click();
    await page.getByText('Hosted page').waitFor();
    expect([page.url(), sent]).toEqual([hosted, [{ method: 'POST', path: '/checkout', body: { pack: 'large' } }]]);
  });

  test('the payments list has amounts, documents and pay links, one page at a time', async () => {
    const page = await blankPage();
    const first = [
      payment({
        id: 'a',
        kind: 'renewal',
        status: 'action_required',
        planId: 'dev_pass',
        amount: 2999,
        url: hosted,
        receiptUrl: null,
        invoiceUrl: null,
      }),
      payment({ id: 'b', kind: 'top_up', status: 'refunded', refundedAmount: 400 }),
      payment({ id: 'c', kind: 'upgrade', planId: 'pro_pass', amount: 27_000 }),
    ];
    await answer(page, {
      list: [first, [payment({ id: 'd' })]],
      topUp: topUp({ state: 'on', threshold: 100, pack: 'small', monthlyLimit: 5000 }),
    });
    await page.route('**/api/subscription', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const pastDue = { since: '2026-11-27T09:00:00.000Z', endsAt: '2026-12-04T09:00:00.000Z' };
      const data = {
        id: 'sub_1',
        planId: 'dev_pass',
        status: 'active',
        monthlyCredits: 5000,
        creditsUsed: 0,
        nextBillingDate: '2026-12-27',
        price: 29.99,
        pastDue,
      };
      await route.fulfill({ status: 200, json: { ...body, error: false, status: 200, message: 'SUCCESS', data } });
    });
    await signInDemo(page, '/billing');
    const banner = page.getByRole('alert').filter({ hasText: 'The payment for the Dev Pass failed on 27 Nov 2026.' });
    expect(await banner.getByRole('link', { name: 'Pay now' }).getAttribute('href')).toBe(hosted);
    const table = page.getByRole('table', { name: 'Payments, newest first' });
    await table.getByText('Upgrade to Pro Pass').waitFor();
    expect(await table.getByRole('row').filter({ hasText: 'automatic top-up' }).textContent()).toMatch(
      /Partly refunded.*\$10\.00\$4\.00 refunded/,
    );
    const invoice = table.getByRole('link', { name: /^Invoice of Upgrade to Pro Pass.*\(PDF\)$/ });
    expect(await invoice.getAttribute('href')).toBe('https://pay.example.com/invoice/1.pdf');
    await page.getByRole('button', { name: 'Load more' }).click();
    await table.getByRole('row').nth(4).waitFor();
    await page.getByText('$29.99 on 27 Dec 2026').waitFor();
    await looksRight(page, 'billing');
  });

  test('the automatic top-up is set in USD, sent in cents, and switched off', async () => {
    const page = await blankPage();
    const sent = await answer(page, { topUp: topUp() });
    await signInDemo(page, '/billing');
    const panel = page.getByRole('region', { name: 'Automatic top-up' });
    await panel.getByLabel('Threshold').fill('500');
    await panel.getByLabel('Pack').selectOption('large');
    await panel.getByLabel('Monthly limit').fill('50');
    await panel.getByRole('button', { name: 'Turn on' }).click();
    await panel.getByText('Monthly limit must be at least the price of the pack').waitFor();
    await looksRight(page, 'top-up-error');
    expect(sent).toEqual([]);
    await panel.getByLabel('Monthly limit').fill('171.50');
    await panel.getByRole('button', { name: 'Turn on' }).click();
    await panel.getByText('On', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Turn off' }).click();
    await panel.getByText('Off', { exact: true }).waitFor();
    expect(sent.map(({ body }) => body)).toEqual([{ threshold: 500, pack: 'large', monthlyLimit: 17_150 }, null]);
  });

  test('a failed top-up states its reason, and leads to the card', async () => {
    const page = await blankPage();
    const lastFailure = { reason: 'declined', at: '2026-11-27T09:00:00.000Z' };
    await answer(page, { topUp: topUp({ threshold: 100, pack: 'small', monthlyLimit: 5000, lastFailure }) });
    await signInDemo(page, '/billing');
    const panel = page.getByRole('region', { name: 'Automatic top-up' });
    await panel
      .getByText('The top-up of 27 Nov 2026 failed, because the card was declined. The automatic top-up is off.')
      .waitFor();
    expect(await panel.getByLabel('Monthly limit').inputValue()).toBe('50');
    await looksRight(page, 'top-up-failed');
    await panel.getByRole('button', { name: 'Change the card' }).click();
    await page.getByText('Hosted page').waitFor();
  });

  test('the plans page shows what is due now and next, leads to checkout, and sells packs', async () => {
    const page = await blankPage();
    const sent = await answer(page, {});
    await page.route('**/api/subscription', (route) =>
      route.fulfill({ json: { error: false, status: 200, message: 'SUCCESS', data: null } }),
    );
    await signInDemo(page, '/plans');
    await page.getByRole('button', { name: 'Buy 1,000 credits for $10.00' }).waitFor();
    await looksRight(page, 'plans');
    await page.getByRole('button', { name: 'Subscribe Dev Pass' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^From \d+ \w+ \d{4}, each month$/).waitFor();
    expect(await dialog.getByText('$29.99').count()).toBe(2);
    await looksRight(page, 'subscribe');
    await dialog.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByText('Hosted page').waitFor();
    expect(sent).toEqual([{ method: 'POST', path: '/checkout', body: { planId: 'dev_pass' } }]);
  });

  test.each([
    [
      402,
      'PAYMENT_ACTION_REQUIRED',
      `The bank asks you to confirm the payment: ${hosted}.`,
      'Confirm the payment',
      'link',
    ],
    [402, 'PAYMENT_DECLINED', 'The card was declined.', 'Change the card', 'button'],
    [409, 'PAYMENT_METHOD_REQUIRED', 'No card is saved.', 'Add a card', 'button'],
  ] as const)(
    'an upgrade that is refused with %i %s leads to the next step',
    async (status, message, detail, step, role) => {
      const page = await blankPage();
      await answer(page, {});
      const data = {
        id: 'sub_1',
        planId: 'dev_pass',
        status: 'active',
        monthlyCredits: 5000,
        creditsUsed: 0,
        nextBillingDate: '2026-12-27',
        price: 29.99,
      };
      await page.route('**/api/subscription', (route) =>
        route.fulfill({ json: { error: false, status: 200, message: 'SUCCESS', data } }),
      );
      const proration = {
        amount: 269.98,
        credits: 95_000,
        from: '2026-11-27T09:00:00.000Z',
        to: '2026-12-27T09:00:00.000Z',
      };
      await page.route('**/api/subscription/upgrade-plan/preview**', (route) =>
        route.fulfill({ json: { error: false, status: 200, message: 'SUCCESS', data: proration } }),
      );
      await page.route('**/api/subscription/upgrade-plan', (route) =>
        route.fulfill({ status, json: { error: true, message, status, data: null, detail } }),
      );
      await signInDemo(page, '/plans');
      await page.getByRole('button', { name: 'Upgrade Pro Pass' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The amount is charged to your Visa ending in 4242.').waitFor();
      await dialog.getByRole('button', { name: 'Upgrade for $269.98' }).click();
      await dialog.getByRole(role, { name: step }).waitFor();
      await looksRight(page, `upgrade-${message.toLowerCase().replaceAll('_', '-')}`);
    },
  );

  test('a call without credits, the sidebar, the overview and the credit history lead to the packs', async () => {
    const page = await blankPage();
    await answer(page, { payment: [payment()] });
    await signInDemo(page, '/usage');
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({
        status: 402,
        json: { error: true, message: 'INSUFFICIENT_CREDITS', status: 402, data: null, detail: '0 credits are left.' },
      }),
    );
    const grant = {
      ...{ seq: 9, at: '2026-11-27T09:00:00.000Z', type: 'grant', source: 'purchase', credits: 1000, balance: 1000 },
      ...{ service: null, model: null, requestId: null, keyId: null, paymentId: id },
    };
    const lot = { source: 'purchase', granted: 1000, remaining: 900, expiresAt: '2027-12-01T00:00:00.000Z' };
    await page.route('**/api/credits?**', (route) =>
      route.fulfill({
        json: {
          ...{ error: false, status: 200, message: 'SUCCESS' },
          data: { balance: 900, held: 0, lots: [lot], entries: [grant], nextCursor: null },
        },
      }),
    );
    await page.reload();
    const history = page.getByRole('table', { name: 'Credit history, newest first' });
    await history.getByText('Bought credits.').waitFor();
    await looksRight(page, 'history');
    await history.getByRole('link', { name: 'View payment' }).click();
    await notice(page).getByText('Paid $10.00: 1,000 credits were added.').waitFor();

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    const credits = page.getByRole('region', { name: 'Credits', exact: true });
    await credits.getByText('Bought or granted credits').waitFor();
    await looksRight(page, 'overview');
    expect(await credits.getByRole('link', { name: 'Buy credits' }).getAttribute('href')).toBe('/billing');

    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByLabel('Your message').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    const refusal = page.getByRole('status').filter({ hasText: "You're out of credits." });
    await refusal.getByRole('link', { name: 'View plans' }).waitFor();
    await looksRight(page, 'refused-call');
    await refusal.getByRole('link', { name: 'Buy credits' }).click();
    await page.getByRole('button', { name: 'Buy 1,000 credits for $10.00' }).waitFor();
    await page.getByRole('link', { name: 'Buy credits' }).waitFor();
  });

  test('without payments, there is no billing page, and packs have no buttons', async () => {
    const page = await blankPage();
    await signInDemo(page, '/plans');
    await page.getByRole('heading', { name: 'Credit packs' }).waitFor();
    expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^(?:Billing|Buy)/ }).count()).toBe(0);
    await page.goto('/billing');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
}
