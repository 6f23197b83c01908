import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { planListing, webhooksPlan } from '#contract/billing/plans.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { settled, still } from '../pages/findings.ts';
import { eventually, member, open, press, service, shows } from '../stage.ts';

const { minPlanRank } = messageRoutes.sendMessage.priced;

export function planTests(): void {
  test('a user subscribes, upgrades at the displayed price, downgrades and cancels', async () => {
    const { page, person } = await member('/plans');
    const subscription = async () => (await service.call('GET', '/api/subscription', person)).body.data;

    await press(page, 'Subscribe Dev Pass');
    await shows(page, '$29.99');
    await press(page, 'Subscribe to Dev Pass');
    await shows(page, 'You are on the Dev Pass.');
    expect(await subscription()).toMatchObject({ planId: 'dev_pass', status: 'active' });

    await press(page, 'Upgrade Pro Pass');
    const shown = await page.getByRole('button', { name: /^Upgrade for/ }).textContent();
    const price = Number(/\$([\d.]+)/.exec(shown ?? '')?.[1]);
    // The whole difference, minus the seconds since the subscription.
    expect(price).toBeGreaterThan(269.9);
    expect(price).toBeLessThanOrEqual(270);
    await page.getByRole('button', { name: /^Upgrade for/ }).click();
    await shows(page, 'You are on the Pro Pass.');
    expect(await subscription()).toMatchObject({ planId: 'pro_pass' });

    await press(page, 'Downgrade SMME Pass');
    await press(page, /^Downgrade on/);
    await shows(page, /from then on you will be on the SMME Pass/);
    expect(await subscription()).toMatchObject({ planId: 'pro_pass', pendingPlanId: 'smm_pass' });

    await press(page, 'Keep the Pro Pass');
    await shows(page, 'You stay on the Pro Pass.');
    expect(await subscription()).not.toHaveProperty('pendingPlanId');

    await press(page, 'Cancel subscription');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel subscription' }).click();
    await shows(page, 'Your Pro Pass subscription is cancelled.');
    expect(await subscription()).toMatchObject({ status: 'cancelled' });

    expect(await page.getByRole('button', { name: 'Subscribe Pro Pass' }).count()).toBe(0);
    await press(page, 'Resume Pro Pass');
    await shows(page, 'The Pro Pass is resumed.');
    expect(await subscription()).toMatchObject({ status: 'active', planId: 'pro_pass' });

    await press(page, 'Cancel subscription');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel subscription' }).click();
    await press(page, 'Subscribe Dev Pass');
    await shows(page, /The month you paid for runs until/);
    await shows(page, '$0.00');
    await press(page, 'Subscribe to Dev Pass');
    await shows(page, /from then on you will be on the Dev Pass/);
    expect(await subscription()).toMatchObject({ planId: 'pro_pass', pendingPlanId: 'dev_pass', status: 'active' });
  });

  test('the cards leave no gap in their grid at any width', async () => {
    const { page } = await member('/plans', { planRank: 2 });
    await cardsOf(page).first().waitFor();
    for (const width of [360, 700, 1024, 1280, 1360, 1600, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await still(page);
      expect([width, await raggedRows(page)]).toEqual([width, []]);
    }
  });

  test.each([
    ['no subscription', undefined, 'Freemium', ['SMME Pass']],
    ['a cancelled Dev Pass whose month runs', 2, 'Dev Pass', ['SMME Pass']],
  ])(
    'an account with %s sees its card marked, and at most one larger plan recommended',
    async (_, planRank, own, larger) => {
      const person = await service.person(planRank ? { planRank } : {});
      if (planRank === 2) {
        const { id } = (await service.call('GET', '/api/subscription', person)).body.data;
        await service.call('PATCH', `/api/subscription/${id}/cancel`, person);
      }
      const page = await open('/plans', person);
      await cardsOf(page).first().waitFor();
      await settled(page);
      const badges = page.getByText(/^(?:Current plan|Scheduled)$/).and(page.locator(':not(button *)'));
      const marked = await cardsOf(page).filter({ has: badges }).getByRole('heading').allTextContents();
      const recommended = await cardsOf(page).filter({ hasText: 'Recommended' }).getByRole('heading').allTextContents();
      expect([marked, recommended]).toEqual([[own], larger]);
    },
  );

  test('the cards show what each plan includes, its limits and the way to sales, as the deployment is configured', async () => {
    const { page } = await member('/plans');
    const cards = cardsOf(page);
    await cards.first().waitFor();
    const shown = await cards.evaluateAll((all) =>
      all.map(({ textContent }) => [
        textContent.match(/(?:No )?SMS .*? calls/)?.[0],
        textContent.match(/(?:No w|W)ebhooks/)?.[0],
      ]),
    );
    const expected = planListing.map(({ id }) => [
      id >= minPlanRank ? 'SMS and voice calls' : 'No SMS or voice calls',
      id >= webhooksPlan.id ? 'Webhooks' : 'No webhooks',
    ]);
    expect(shown).toEqual(expected);
    expect(new Set(shown.map(String)).size).toBe(3);
    const card = cards.filter({ hasText: 'Dev Pass' });
    await card.getByText('$29.99').waitFor();
    await card.getByText('100 calls per minute').waitFor();
    expect(await card.getByText('calls per month').count()).toBe(0);
    const link = page.getByRole('link', { name: 'Contact sales' });
    expect(await link.getAttribute('href')).toBe('mailto:sales@example.com?subject=Enterprise%20plan');

    const config = { googleClientId: null, local: true, demoSpeechFormats: null, planTable: 'overview' };
    await page.route('**/config.json', (route) => route.fulfill({ json: config }));
    await page.reload();
    await card.getByText('20 calls per minute').waitFor();
    await card.getByText('1,000 calls per month').waitFor();
    await card.getByText('$29.99').waitFor();
    await shows(page, 'Contact sales to subscribe.');
    expect(await link.count()).toBe(0);
  });

  test('only an account without a subscription sees that free credits expire, and enables roll-over', async () => {
    const explanation =
      'Unused credits expire each month. Turn on roll-over to keep them for three more months, at no cost.';
    const { page } = await member('/plans');
    await cardsOf(page).filter({ hasText: 'Freemium' }).getByText(explanation).waitFor();
    expect(await page.getByText(explanation).count()).toBe(1);
    await press(page, 'Turn on roll-over');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^From now on, unused credits stay for three more months/).waitFor();
    await dialog.getByRole('button', { name: 'Turn on roll-over' }).click();
    await shows(page, 'Unused credits now roll over.');
    await eventually(() => page.getByText(explanation).count()).toBe(0);
  });

  test('the Freemium plan is called a plan, not a pass, and shows no explanation of expiring credits; 1 credit is singular', async () => {
    const { page } = await member('/plans', { planRank: 1, credits: 1 });
    await shows(page, /^You are on the Freemium plan and have used/);
    await cardsOf(page).first().waitFor();
    expect(await page.getByText(/^Unused credits expire each month/).count()).toBe(0);
    await page.goto('/');
    await shows(page, 'Only 1 credit is left.');
    expect(await page.getByText(/\b1 credits/).count()).toBe(0);
  });
}

const cardsOf = (page: Page): Locator =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) });

/** Rows of cards, by distance from the top, that do not span the full width of the list. */
async function raggedRows(page: Page): Promise<number[]> {
  const boxes = await cardsOf(page).evaluateAll((cards) =>
    cards.map((card) => {
      const list = card.parentElement!.getBoundingClientRect();
      const { top, left, right } = card.getBoundingClientRect();
      return { top: Math.round(top), left: left - list.left, right: list.right - right };
    }),
  );
  expect(boxes).toHaveLength(planListing.length);
  const rows = Map.groupBy(boxes, ({ top }) => top);
  const isWhole = (row: typeof boxes) =>
    Math.min(...row.map(({ left }) => left)) < 1 && Math.min(...row.map(({ right }) => right)) < 1;
  return [...rows].filter(([, row]) => !isWhole(row)).map(([top]) => top);
}
