import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { blankPage, freeCredits, looksRight, paidService, signInDemo } from './payments-stage.ts';

const password = 'a quiet river bank';
const maxWalkMs = 60_000;
const Mails = v.array(v.object({ to: v.array(v.string()), text: v.string() }));

/** Registers, and opens the link of the email. */
async function register(page: Page, email: string): Promise<void> {
  await page.goto('/register');
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('link', { name: 'Skip for now' }).waitFor();
  const link = async (): Promise<string> => {
    const mails = v.parse(Mails, await (await fetch(`${paidService().origin}/_local/mail`)).json());
    return /https?:\S+\/confirm\S+/.exec(mails.find(({ to }) => to.includes(email))?.text ?? '')?.[0] ?? '';
  };
  await expect.poll(link).not.toBe('');
  await page.goto(await link());
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Pays in checkout, which returns to the billing page. */
async function pay(page: Page, card: string): Promise<void> {
  await page.locator(`a[href*="card=${card}"]`).click();
  const terms = page.getByRole('checkbox', { name: /agree|authori/i });
  if ((await terms.count()) > 0) await terms.first().check();
  await page.getByRole('button', { name: /^(?:Pay|Subscribe)/ }).click();
}

async function buyDevPass(page: Page, card: string): Promise<void> {
  await page.goto('/plans');
  await page.getByRole('button', { name: 'Subscribe Dev Pass' }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.waitForURL((url) => url.origin !== paidService().origin);
  await pay(page, card);
  await page
    .getByText('Paid $29.99: Dev Pass.')
    .or(page.getByRole('button', { name: 'Complete authentication' }))
    .waitFor();
  if (new URL(page.url()).origin !== paidService().origin)
    await page.getByRole('button', { name: 'Complete authentication' }).click();
  await page.getByText('Paid $29.99: Dev Pass.').waitFor();
}

/** Signs in on the way to the billing page, after the session has expired. */
async function signInAgain(page: Page, email: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/login?return=/billing');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Saves a card in the customer portal, and returns. */
async function saveCard(page: Page, card: string): Promise<void> {
  await page.locator(`a[href*="card=${card}"]`).click();
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.getByRole('link', { name: 'Back' }).click();
}

const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Your message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};
const responses = (page: Page) => page.getByRole('log').getByText('finish_reason: stop');

export function walkTests(): void {
  let buyer: Awaited<ReturnType<ReturnType<Page['context']>['cookies']>> = [];
  let firstPayment = '';

  async function asBuyer(path: string): Promise<Page> {
    const page = await blankPage();
    await page.context().addCookies(buyer);
    await page.goto(path);
    return page;
  }

  test('a new user runs out of credits, buys a pack and calls again, in less than a minute', async () => {
    const page = await blankPage();
    const start = Date.now();
    await register(page, 'buyer@example.com');
    buyer = await page.context().cookies();
    await page.goto('/playground');
    for (let sent = 1; sent <= freeCredits; sent++) {
      await send(page, 'Hello');
      await expect.poll(() => responses(page).count(), { timeout: 10_000 }).toBe(sent);
    }
    await send(page, 'And now?');
    await page.getByText("You're out of credits.").waitFor();
    await page.getByRole('status').getByRole('link', { name: 'Buy credits' }).click();
    await page.getByRole('button', { name: 'Buy 1,000 credits for $10.00' }).click();
    await page.waitForURL((url) => url.origin !== paidService().origin);
    await pay(page, '4242424242424242');
    await page.getByText('Paid $10.00: 1,000 credits were added. Your balance is now 1,000 credits.').waitFor();
    firstPayment = new URL(page.url()).searchParams.get('payment') ?? '';
    await page.getByRole('link', { name: 'Open the playground' }).click();
    await expect.poll(() => responses(page).count()).toBe(freeCredits);
    await send(page, 'Hello again');
    await expect.poll(() => responses(page).count(), { timeout: 10_000 }).toBe(freeCredits + 1);
    const took = Date.now() - start;
    expect(took).toBeLessThan(maxWalkMs);

    await page.goto('/usage');
    await page.getByRole('link', { name: 'View payment' }).click();
    await page.getByText('Paid $10.00: 1,000 credits were added.').waitFor();
    const row = page
      .getByRole('table', { name: 'Payments, newest first' })
      .getByRole('row')
      .filter({ hasText: '1,000 credits' });
    const receipt = await row.getByRole('link', { name: /^Receipt/ }).getAttribute('href');
    expect((await fetch(receipt ?? '')).status).toBe(200);
  }, 120_000);

  test('a payment of another account is not shown', async () => {
    const page = await blankPage();
    await signInDemo(page, `/billing?payment=${firstPayment}`);
    await page.getByText(`This account has no payment ${firstPayment}.`).waitFor();
  });

  test('a buyer who leaves checkout can continue it', async () => {
    const page = await asBuyer('/billing');
    await page.getByRole('button', { name: 'Buy 10,000 credits for $85.50' }).click();
    await page.waitForURL((url) => url.origin !== paidService().origin);
    const payPage = page.url();
    await pay(page, '4000000000000002');
    await page
      .getByRole('alert')
      .getByText(/declined/i)
      .waitFor();
    await page
      .getByRole('link', { name: /back|cancel|return/i })
      .first()
      .click();
    await page.getByText('You left the payment page. Nothing was charged for 10,000 credits.').waitFor();
    expect(await page.getByRole('link', { name: 'Continue to payment' }).getAttribute('href')).toBe(payPage);
  });

  test('an upgrade that requires authentication is shown until it is paid', async () => {
    const page = await blankPage();
    await register(page, 'careful@example.com');
    await buyDevPass(page, '4000002760003184');
    await page.getByRole('link', { name: 'View plans' }).click();
    await page.getByRole('button', { name: 'Upgrade SMME Pass' }).click();
    await page.getByRole('button', { name: 'Upgrade for $' }).click();
    const [bank] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Confirm the payment' }).click(),
    ]);
    await page.getByText('Your bank requires you to confirm the payment of').waitFor();
    await pay(bank, '4242424242424242');
    await page.getByText(/^Paid \$[\d.]+: Upgrade to SMME Pass\./).waitFor();
    await page.getByText('SMME Pass', { exact: true }).first().waitFor();
  }, 60_000);

  test('a plan starts once it is paid, is upgraded with the saved card, and credits are bought automatically', async () => {
    const page = await asBuyer('/plans');
    await buyDevPass(page, '4242424242424242');
    await page.getByText(/^\$29\.99 on \d+ \w+ \d{4}$/).waitFor();
    await page.getByText('Visa ending in 4242', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'View plans' }).click();
    await page.getByRole('button', { name: 'Upgrade SMME Pass' }).click();
    await page.getByText('The amount is charged to your Visa ending in 4242.').waitFor();
    await page.getByRole('button', { name: 'Upgrade for $' }).click();
    await page.getByText('You are on the SMME Pass.', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Billing', exact: true }).click();
    const table = page.getByRole('table', { name: 'Payments, newest first' });
    const upgrade = table.getByRole('row').filter({ hasText: 'Upgrade to SMME Pass' });
    await upgrade.getByRole('link', { name: /^Invoice/ }).waitFor();
    expect(await upgrade.textContent()).toMatch(/Paid\$(?:70\.00|69\.9\d)/);

    const panel = page.getByRole('region', { name: 'Automatic top-up' });
    await panel.getByLabel('Threshold').fill('1000000');
    await panel.getByLabel('Monthly limit').fill('10');
    await panel.getByRole('button', { name: 'Turn on' }).click();
    await panel.getByText('On', { exact: true }).waitFor();
    const toppedUp = async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return table
        .getByRole('row')
        .filter({ hasText: '1,000 credits, automatic top-up' })
        .filter({ hasText: 'Paid' })
        .count();
    };
    await expect.poll(toppedUp, { timeout: 15_000 }).toBe(1);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await panel.getByText('Off', { exact: true }).waitFor();
    await looksRight(page, 'walk-billing');
  }, 90_000);

  test('a failed renewal is shown with the day on which the plan ends, until another card pays it', async () => {
    const page = await blankPage();
    await register(page, 'late@example.com');
    await buyDevPass(page, '4242424242424242');
    await page.getByRole('button', { name: 'Open customer portal' }).click();
    await saveCard(page, '4000000000000341');
    await page.getByText('Visa ending in 0341', { exact: true }).waitFor();
    await paidService().advance('P31D');
    await signInAgain(page, 'late@example.com');
    const banner = page.getByRole('alert').filter({ hasText: 'The payment for the Dev Pass failed on' });
    await banner.getByRole('button', { name: 'Change the card' }).waitFor();
    await looksRight(page, 'walk-past-due');
    await banner.getByRole('button', { name: 'Change the card' }).click();
    await saveCard(page, '4242424242424242');
    await banner.waitFor();
    // The next attempt to charge the card.
    await paidService().advance('P3D');
    await signInAgain(page, 'late@example.com');
    const renewal = page.getByRole('row').filter({ hasText: 'Dev Pass, renewal' });
    const isPaid = async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return renewal.getByText('Paid', { exact: true }).count();
    };
    await expect.poll(isPaid, { timeout: 15_000, interval: 500 }).toBe(1);
    await renewal.getByRole('link', { name: /^Invoice/ }).waitFor();
    await page.reload();
    await page.getByRole('definition').filter({ hasText: 'Dev Pass' }).waitFor();
    expect(await banner.count()).toBe(0);
  }, 120_000);
}
