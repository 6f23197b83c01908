import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { weightOf } from '../pages/first-loads.ts';
import { watchSmoothness } from '../pages/smoothness.ts';
import { refuse } from '../stage.ts';
import { answer, hosted, payment, respond, subscription, topUp } from './answers.ts';
import { blankPage, looksRight, signInDemo } from './payments-stage.ts';

const id = String(payment()['id']);
const notice = (page: Page) =>
  page.locator('#content').getByRole('status').or(page.locator('#content').getByRole('alert'));

export function stateTests(): void {
  test('the return from checkout shows the payment until its credits are added, then the new balance', async () => {
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
      /Your bank requires you to confirm the payment/,
      'Confirm the payment',
    ],
    [
      'refunded',
      payment({ status: 'refunded', refundedAmount: 400 }),
      '',
      /\$4.00 of \$10.00 for 1,000 credits was refunded/,
      'View receipt',
    ],
  ])(
    'a payment that is %s is shown with the next step after the return from checkout',
    async (name, state, query, text, step) => {
      const page = await blankPage();
      await answer(page, { payment: [state] });
      await signInDemo(page, `/billing?payment=${id}${query}`);
      await notice(page).getByText(text).waitFor();
      await notice(page).getByRole('link', { name: step }).waitFor();
      await looksRight(page, `returned-${name}`);
    },
  );

  test('a malformed payment id is ignored', async () => {
    const page = await blankPage();
    await answer(page, {});
    await signInDemo(page, '/billing?payment=<b>');
    await page.getByText('No payments yet').waitFor();
    expect(await page.getByText('This account has no payment').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a month whose payment was refunded is past due, and shows when the plan ends', async () => {
    const page = await blankPage();
    await answer(page, {
      list: [
        [
          payment(),
          payment({
            id: 'b',
            kind: 'renewal',
            planId: 'dev_pass',
            amount: 2999,
            refundedAmount: 2999,
            status: 'refunded',
          }),
        ],
      ],
    });
    const [since, endsAt] = ['2026-11-27T09:00:00.000Z', '2026-12-04T09:00:00.000Z'];
    await respond(
      page,
      '**/api/subscription',
      subscription({ pastDue: { since, endsAt, reason: 'payment_returned' } }),
    );
    await signInDemo(page, '/billing');
    const banner = page
      .getByRole('alert')
      .filter({ hasText: 'The payment for the Dev Pass was refunded on 27 Nov 2026.' });
    await banner.getByText('Then the plan ends.').waitFor();
    expect(await banner.getByRole('link').or(banner.getByRole('button')).count()).toBe(0);
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    expect((await plan.textContent())?.replaceAll(/\s+/g, ' ')).toContain('Ends on4 Dec 2026Next paymentNone');
    await looksRight(page, 'past-due-refunded');
  });

  test('the billing page shows the renewal that is being charged', async () => {
    const page = await blankPage();
    await answer(page, {});
    await respond(page, '**/api/subscription', subscription({ renewalPendingSince: '2026-11-27T09:00:00.000Z' }));
    await signInDemo(page, '/billing');
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    const text = 'Renewal$29.99 in progress since 27 Nov 2026Next payment$29.99 on 27 Dec 2026';
    await expect.poll(() => plan.textContent()).toContain(text);
    await looksRight(page, 'renewal');
  });

  test('an unknown payment is an error', async () => {
    const page = await blankPage();
    await answer(page, {});
    await signInDemo(page, `/billing?payment=${id}`);
    await page.getByText(`This account has no payment ${id}.`).waitFor();
    await looksRight(page, 'returned-unknown');
  });

  test.each(['/billing', '/plans'])('%s transfers at most 200 KB at first, and shifts little', async (path) => {
    const page = await blankPage();
    await answer(page, { list: [[payment()]] });
    const smoothness = await watchSmoothness(page);
    await signInDemo(page, path);
    await page.getByRole('button', { name: 'Buy 1,000 credits for $10.00' }).waitFor();
    await page.waitForLoadState('networkidle');
    const [{ shift }, { bytes }] = [await smoothness(), await weightOf(page)];
    expect(bytes).toBeLessThan(200_000);
    expect(shift).toBeLessThan(0.05);
  });

  test('the billing page of a new account is empty, and leads to the packs', async () => {
    const page = await blankPage();
    const sent = await answer(page, { topUp: topUp({ card: null }) });
    await signInDemo(page, '/billing');
    await page.getByText('No payments yet').waitFor();
    await page.getByText('No card is saved. Your first payment saves one.').waitFor();
    const topUpPanel = page.getByRole('region', { name: 'Automatic top-up' });
    await topUpPanel.getByText('Save a card to turn on automatic top-up.').waitFor();
    expect(await topUpPanel.getByRole('textbox').count()).toBe(0);
    await page.getByText('Valid until').first().waitFor();
    await looksRight(page, 'billing-empty');
    await page.getByRole('button', { name: 'Buy 10,000 credits for $85.50' }).click();
    await page.getByText('Hosted page').waitFor();
    expect([page.url(), sent]).toEqual([hosted, [{ path: '/checkout', body: { pack: 'large' } }]]);
  });

  test('the payments list shows amounts, receipts, invoices and payment links, one page at a time', async () => {
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
      payment({ id: 'b', kind: 'top_up', status: 'granted', refundedAmount: 400 }),
      payment({ id: 'c', kind: 'upgrade', planId: 'pro_pass', amount: 27_000 }),
    ];
    await answer(page, {
      list: [first, [payment({ id: 'd' })]],
      topUp: topUp({ state: 'on', threshold: 100, pack: 'small', monthlyLimit: 5000 }),
    });
    const pastDue = { since: '2026-11-27T09:00:00.000Z', endsAt: '2026-12-04T09:00:00.000Z', reason: 'payment_due' };
    await respond(page, '**/api/subscription', subscription({ pastDue }));
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

  test('a failed top-up shows its reason, and links to the card', async () => {
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
    await respond(page, '**/api/subscription', null);
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
    expect(sent).toEqual([{ path: '/checkout', body: { planId: 'dev_pass' } }]);
  });

  test.each([
    [402, 'PAYMENT_DECLINED', 'The card was declined.', 'Change the card', 'button'],
    [409, 'PAYMENT_METHOD_REQUIRED', 'No card is saved.', 'Add a card', 'button'],
    [409, 'INVALID_STATE', `Payment ${id} is not finished.`, 'View payment', 'link'],
  ] as const)('an upgrade that returns %i %s shows the next step', async (status, message, detail, step, role) => {
    const page = await blankPage();
    await answer(page, {});
    await respond(page, '**/api/subscription', subscription());
    const [from, to] = ['2026-11-27T09:00:00.000Z', '2026-12-27T09:00:00.000Z'];
    await respond(page, '**/api/subscription/upgrade-plan/preview**', { amount: 269.98, credits: 95_000, from, to });
    await refuse(page, '**/api/subscription/upgrade-plan', { status, message, detail });
    await signInDemo(page, '/plans');
    await page.getByRole('button', { name: 'Upgrade Pro Pass' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The amount is charged to your Visa ending in 4242.').waitFor();
    await dialog.getByRole('button', { name: 'Upgrade for $269.98' }).click();
    await dialog.getByRole(role, { name: step }).waitFor();
    await looksRight(page, `upgrade-${message.toLowerCase().replaceAll('_', '-')}`);
  });

  test('a call without credits, the sidebar, the overview and the credit history link to the packs', async () => {
    const page = await blankPage();
    await answer(page, { payment: [payment()] });
    await signInDemo(page, '/usage');
    const noCredits = { status: 402, message: 'INSUFFICIENT_CREDITS', detail: '0 credits are left.' };
    await refuse(page, '**/v1/chat/completions', noCredits);
    const none = { service: null, model: null, requestId: null, keyId: null };
    const bought = { type: 'grant', source: 'purchase', credits: 1000, balance: 1000, paymentId: id };
    const grant = { seq: 9, at: '2026-11-27T09:00:00.000Z', ...bought, ...none };
    const lot = { source: 'purchase', granted: 1000, remaining: 900, expiresAt: '2027-12-01T00:00:00.000Z' };
    const credits = { balance: 900, held: 0, lots: [lot], entries: [grant], nextCursor: null };
    await respond(page, '**/api/credits?**', credits);
    await page.reload();
    const history = page.getByRole('table', { name: 'Credit history, newest first' });
    await history.getByText('Bought credits.').waitFor();
    await looksRight(page, 'history');
    await history.getByRole('link', { name: 'View payment' }).click();
    await notice(page).getByText('Paid $10.00: 1,000 credits were added.').waitFor();

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Credits', exact: true });
    await panel.getByText('Bought or granted credits').waitFor();
    await looksRight(page, 'overview');
    expect(await panel.getByRole('link', { name: 'Buy credits' }).getAttribute('href')).toBe('/billing');

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

  test('without payments, there is no billing page, and no packs', async () => {
    const page = await blankPage();
    await answer(page, { takesPayments: false });
    await signInDemo(page, '/plans');
    await page.getByRole('heading', { name: 'Dev Pass' }).waitFor();
    expect(await page.getByText(/10,000 credits|^Buy/).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^(?:Billing|Buy)/ }).count()).toBe(0);
    await page.goto('/billing');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
}
