import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { changeTheme, findings } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const panel = (page: Page) => page.getByRole('region', { name: 'First steps' });
const done = (page: Page) => panel(page).getByRole('listitem').filter({ hasText: '(done)' }).allTextContents();
const progress = (page: Page) =>
  panel(page).getByRole('progressbar', { name: 'First steps done' }).getAttribute('aria-valuenow');

export function firstStepTests(stage: () => Stage): void {
  test('are ticked by the state of the account, one after the other, and gone when all are done', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.registered();
    const page = await visit(person);
    await page.goto('/');
    await panel(page).waitFor();
    expect([await done(page), await progress(page)]).toEqual([[], '0']);
    await shows(page, new RegExp(`Open the link sent to ${person.email}`));
    expect(await page.getByRole('region', { name: 'Alerts' }).count()).toBe(0);
    for (const theme of ['light', 'dark'] as const) {
      await changeTheme(page, theme);
      await shoot(page, `first-steps-${theme}`);
      expect(await findings(page)).toEqual([]);
    }
    await panel(page).getByRole('link', { name: 'Open local inbox' }).waitFor();

    const token = await service.mailedToken(person.email);
    await page.goto(`/confirm?token=${token}`);
    await shows(page, 'Email confirmed');
    await page.getByRole('link', { name: 'Open the playground' }).waitFor();
    await page.goto('/');
    await eventually(() => done(page)).toEqual([expect.stringContaining('Confirm your email')]);

    await panel(page).getByRole('link', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await eventually(() => progress(page)).toBe('50');
    await shows(page, `${key.slice(0, 17)}…`);
    await page.setViewportSize({ width: 360, height: 740 });
    await shoot(page, 'first-steps-phone');
    await page.setViewportSize({ width: 1360, height: 900 });

    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    await page.reload();
    await eventually(() => progress(page)).toBe('75');
    await panel(page).getByRole('link', { name: 'Compare plans' }).click();
    await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    const body = { planId: 'freemium', billingCycle: 'monthly' };
    await service.call('POST', '/api/subscription/create', { key, body });
    await page.goto('/');
    await page.getByRole('region', { name: 'Plan', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await panel(page).count()).toBe(0);
  });

  test('that were dismissed stay so for their account, and for nobody else in the same browser', async () => {
    const { service, visit } = stage();
    const [one, other] = [await service.registered(), await service.registered()];
    const page = await visit(one);
    await page.goto('/');
    await press(page, 'Dismiss first steps');
    await eventually(() => panel(page).count()).toBe(0);
    await shows(page, /^Confirm your email to create API keys/);
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.reload();
    await shows(page, /^Confirm your email to create API keys/);
    expect(await panel(page).count()).toBe(0);
    const [name = '', value = ''] = other.cookie.split('=');
    await page.context().addCookies([{ name, value, url: service.origin }]);
    await page.goto('/');
    await panel(page).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(one.email);
  });
}
