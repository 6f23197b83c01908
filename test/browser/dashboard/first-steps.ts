import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { createTeam, memberOf, openIn } from '../organizations/organizations.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { become, eventually, goTo, heading, open, press, service, shows } from '../stage.ts';

const panel = (page: Page) => page.getByRole('region', { name: 'First steps' });
const done = (page: Page) => panel(page).getByRole('listitem').filter({ hasText: '(done)' }).allTextContents();
const progress = (page: Page) =>
  panel(page).getByRole('progressbar', { name: 'First steps done' }).getAttribute('aria-valuenow');

export function firstStepTests(): void {
  test('are completed one by one by the state of the account, then removed', async () => {
    const person = await service.registered();
    const page = await open('/', person);
    await panel(page).waitFor();
    expect([await done(page), await progress(page)]).toEqual([[], '0']);
    await shows(page, new RegExp(`Open the link sent to ${person.email}`));
    expect(await page.getByRole('region', { name: 'Alerts' }).count()).toBe(0);
    await expectReadable(page, 'first-steps');
    await panel(page).getByRole('link', { name: 'Open local inbox' }).waitFor();
    await page.goto('/keys?new');
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByRole('button', { name: 'resend the email' }).waitFor();
    expect(await dialog.getByLabel('Name').count()).toBe(0);

    await page.goto(`/confirm?token=${await service.mailedToken(person.email)}`);
    await shows(page, 'Email confirmed');
    await page.getByRole('link', { name: 'Open the playground' }).waitFor();
    await page.goto('/');
    await eventually(() => done(page)).toEqual([expect.stringContaining('Confirm your email')]);

    await panel(page).getByRole('link', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    await goTo(page, 'Overview');
    await eventually(() => progress(page)).toBe('50');
    await shows(page, `${key.slice(0, 17)}…`);
    await expectFits(page, 'first-steps');

    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    await page.reload();
    await eventually(() => progress(page)).toBe('75');
    await panel(page).getByRole('link', { name: 'Compare plans' }).click();
    await heading(page, 'Plans');
    const body = { planId: 'freemium', billingCycle: 'monthly' };
    await service.call('POST', '/api/subscription/create', { key, body });
    await page.goto('/');
    await page.getByRole('region', { name: 'Plan', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await panel(page).count()).toBe(0);
  });

  test.each([
    ['developer', ['Create an API key', 'Make your first call']],
    ['billing', ['Choose a plan']],
    ['viewer', []],
  ])('in an organization include only what the role %s may do', async (role, expected) => {
    const team = await createTeam(await service.person(), 'Acme');
    const page = await openIn(team, '/', await memberOf(team, role));
    await page.getByRole('region', { name: 'Plan', exact: true }).waitFor();
    const titles = ['Create an API key', 'Make your first call', 'Choose a plan', 'Open the playground'];
    const shown = async () => {
      const texts = (await page.locator('main').allTextContents()).join('');
      return titles.filter((title) => texts.includes(title));
    };
    await page.waitForLoadState('networkidle');
    const playground = role === 'developer' ? ['Open the playground'] : [];
    expect((await shown()).toSorted()).toEqual([...expected, ...playground].toSorted());
  });

  test('stay dismissed for their account only, even in a shared browser', async () => {
    const [one, other] = [await service.registered(), await service.registered()];
    const page = await open('/', one);
    await press(page, 'Dismiss first steps');
    await eventually(() => panel(page).count()).toBe(0);
    await shows(page, /^Confirm your email to create API keys/);
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('content');
    await page.reload();
    await shows(page, /^Confirm your email to create API keys/);
    expect(await panel(page).count()).toBe(0);
    await become(page, other);
    await page.goto('/');
    await panel(page).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(one.email);
  });
}
