import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { planListing, webhooksPlan } from '#contract/billing/plans.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import type { Person } from '#test/service/service.ts';
import { still } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const { minPlanRank } = messageRoutes.sendMessage.priced;

export function planTests(stage: () => Stage): void {
  test('subscribing, upgrading at the price that was shown, downgrading and cancelling', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    const subscription = async () => (await service.call('GET', '/api/subscription', person)).body.data;

    await page.goto('/plans');
    await press(page, 'Subscribe Dev Pass');
    await shows(page, '$29.99');
    await press(page, 'Subscribe to Dev Pass');
    await shows(page, 'You are on the Dev Pass.');
    expect(await subscription()).toMatchObject({ planId: 'dev_pass', status: 'active' });

    await press(page, 'Upgrade Pro Pass');
    const shown = await page.getByRole('button', { name: /^Upgrade for/ }).textContent();
    const price = Number(/\$([\d.]+)/.exec(shown ?? '')?.[1]);
    // The whole difference, less what the seconds since the subscription took.
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

  test('the cards leave no hole in their grid at any width', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person({ planRank: 2 }));
    await page.goto('/plans');
    await cardsOf(page).first().waitFor();
    for (const width of [360, 700, 1024, 1280, 1360, 1600, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await still(page);
      await shoot(page, `plans-${width}`);
      expect([width, await raggedRows(page)]).toEqual([width, []]);
    }
  });

  test('one larger plan is recommended, and none to the largest', async () => {
    const { service, visit } = stage();
    const recommended = async (planRank: number): Promise<string[]> => {
      const page = await visit(await service.person({ planRank }));
      await page.goto('/plans');
      await cardsOf(page).first().waitFor();
      return cardsOf(page).filter({ hasText: 'Recommended' }).getByRole('heading').allTextContents();
    };
    expect(await recommended(1)).toEqual(['SMME Pass']);
    expect(await recommended(3)).toEqual(['Pro Pass']);
    expect(await recommended(4)).toEqual([]);
  });

  test('the way to Enterprise is an email to sales, in a deployment that names an address', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/plans');
    const link = page.getByRole('link', { name: 'Contact sales' });
    expect(await link.getAttribute('href')).toBe('mailto:sales@example.com?subject=Enterprise%20plan');
    await page.route('**/config.json', (route) =>
      route.fulfill({ json: { googleClientId: null, local: false, demoSpeechFormats: null } }),
    );
    await page.reload();
    await shows(page, 'Contact sales to subscribe.');
    expect(await link.count()).toBe(0);
    const enterprise = await visit(await service.person({ planRank: 5 }));
    await enterprise.goto('/plans');
    await cardsOf(enterprise).filter({ hasText: 'Enterprise' }).getByRole('button', { name: 'Current plan' }).waitFor();
  });

  test('each card has what its plan includes, as the service decides', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/plans');
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
    await shoot(page, 'plans');
  });

  test('the card of the own plan is marked: of none the free one, of a cancelled one while its month runs', async () => {
    const { service, visit } = stage();
    const badgesOf = async (person: Person): Promise<string[]> => {
      const page = await visit(person);
      await page.goto('/plans');
      await cardsOf(page).first().waitFor();
      const badges = page.getByText(/^(?:Current plan|Scheduled)$/).and(page.locator(':not(button *)'));
      return cardsOf(page)
        .filter({ has: badges })
        .evaluateAll((all) => all.map(({ textContent }) => textContent.slice(0, 28)));
    };
    expect(await badgesOf(await service.person())).toEqual([expect.stringMatching(/^FreemiumCurrent plan/)]);
    expect(await badgesOf(await service.person({ planRank: 1 }))).toEqual([
      expect.stringMatching(/^FreemiumCurrent plan/),
    ]);
    const person = await service.person({ planRank: 2 });
    const { id } = (await service.call('GET', '/api/subscription', person)).body.data;
    await service.call('PATCH', `/api/subscription/${id}/cancel`, person);
    expect(await badgesOf(person)).toEqual([expect.stringMatching(/^Dev PassCurrent plan/)]);
  });

  test('only an account without a subscription is shown that free credits expire, and turns on roll-over', async () => {
    const { service, visit } = stage();
    const explanation =
      'Unused credits expire each month. Turn on roll-over to keep them for three more months, at no cost.';
    const page = await visit(await service.person());
    await page.goto('/plans');
    await cardsOf(page).filter({ hasText: 'Freemium' }).getByText(explanation).waitFor();
    expect(await page.getByText(explanation).count()).toBe(1);
    await press(page, 'Turn on roll-over');
    await page
      .getByRole('dialog')
      .getByText(/^From now on, unused credits stay for three more months/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on roll-over' }).click();
    await shows(page, 'Unused credits now roll over.');
    await eventually(() => page.getByText(explanation).count()).toBe(0);
    const subscriber = await visit(await service.person({ planRank: 1 }));
    await subscriber.goto('/plans');
    await cardsOf(subscriber).first().waitFor();
    expect(await subscriber.getByText(explanation).count()).toBe(0);
  });

  test('a plan that is no pass is called a plan, and one credit is one', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person({ planRank: 1, credits: 1 }));
    await page.goto('/plans');
    await shows(page, /^You are on the Freemium plan and have used/);
    await page.goto('/');
    await shows(page, 'Only 1 credit is left.');
    expect(await page.getByText(/\b1 credits/).count()).toBe(0);
  });

  test('the limits shown are those of the table that the deployment enforces', async () => {
    const page = await stage().visit(await stage().service.person());
    const card = cardsOf(page).filter({ hasText: 'Dev Pass' });
    await page.goto('/plans');
    await card.getByText('$29.99').waitFor();
    await card.getByText('100 calls per minute').waitFor();
    expect(await card.getByText('calls per month').count()).toBe(0);

    await page.route('**/config.json', (route) =>
      route.fulfill({
        json: { googleClientId: null, local: true, demoSpeechFormats: null, planTable: 'overview' },
      }),
    );
    await page.reload();
    await card.getByText('20 calls per minute').waitFor();
    await card.getByText('1,000 calls per month').waitFor();
    await card.getByText('$29.99').waitFor();
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
