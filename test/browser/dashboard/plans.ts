import { expect, test } from 'vitest';
import { planListing } from '#contract/billing/plans.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { press, type Stage, shows } from '../stage.ts';

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
    await shows(page, /from then on you are on the SMME Pass/);
    expect(await subscription()).toMatchObject({ planId: 'pro_pass', pendingPlanId: 'smm_pass' });

    await press(page, 'Keep the Pro Pass');
    await shows(page, 'You stay on the Pro Pass.');
    expect(await subscription()).not.toHaveProperty('pendingPlanId');

    await press(page, 'Cancel subscription');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel subscription' }).click();
    await shows(page, 'The Pro Pass is cancelled.');
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
    await shows(page, /from then on you are on the Dev Pass/);
    expect(await subscription()).toMatchObject({ planId: 'pro_pass', pendingPlanId: 'dev_pass', status: 'active' });
  });

  test('each card has whether its plan can send messages, as the service decides', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/plans');
    const cards = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) });
    await cards.first().waitFor();
    const shown = await cards.evaluateAll((all) =>
      all.map(({ textContent }) => textContent.match(/(?:No )?SMS .*? calls/i)?.[0]),
    );
    const expected = planListing.map(({ id }) => (id >= minPlanRank ? 'SMS and voice calls' : 'No SMS or voice calls'));
    expect(shown).toEqual(expected);
    expect(new Set(shown).size).toBe(2);
    await shoot(page, 'plans');
  });

  test('a plan that is no pass is called a plan, and one credit is one', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person({ planRank: 1, credits: 1 }));
    await page.goto('/plans');
    await shows(page, /^You are on the Freemium plan, and used/);
    await page.goto('/');
    await shows(page, 'Only 1 credit is left.');
    expect(await page.getByText(/\b1 credits/).count()).toBe(0);
  });

  test('both tables are shown, each as what it is', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/plans');
    const cards = await page.getByRole('listitem').filter({ hasText: 'SMME Pass' }).last().textContent();
    expect(cards).toContain('$99.99');
    expect(cards).toContain('25,000 credits a month');
    const row = page.getByRole('table', { name: 'Plan overview' }).getByRole('row', { name: /SMME Pass/ });
    expect(await row.textContent()).toContain('$129.00');
    expect(await row.textContent()).toContain('Not specified');
  });
}
