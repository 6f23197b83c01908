import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { ask, changeData, eventually, log, member, press, say, service, shows, visit } from '../stage.ts';

/** The longest name, without a place to break it. */
const longName = 'W'.repeat(64);

const isTooWide = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('table, section, [role=dialog], h1, ul')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible')
    .concat(document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [])
    .map((one) => one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.className))`);

const direction = (one: any) => one.ownerDocument.defaultView.getComputedStyle(one).direction;

export function nameTests(): void {
  test('long names break no table, dialog or heading at any width', async () => {
    const person = await service.person();
    const page = await visit(person);
    const { cookie, key, keyId } = person;
    await service.call('PATCH', '/api/auth/me', { cookie, body: { name: longName } });
    await service.call('PATCH', `/api/keys/${keyId}`, { cookie, body: { name: longName } });
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    for (const path of ['/', '/usage?group=key', '/settings', '/keys']) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle');
      for (const width of [1360, 1000, 760, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await eventually(async () => [path, width, await isTooWide(page)]).toEqual([path, width, []]);
      }
    }
    await press(page, /^Actions for/);
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await page.getByRole('dialog').waitFor();
    await eventually(() => isTooWide(page)).toEqual([]);
  });

  test('user texts have their own text direction', async () => {
    const { page, person } = await member('/playground');
    await service.call('PATCH', `/api/keys/${person.keyId}`, { cookie: person.cookie, body: { name: 'مفتاح' } });
    await say(page, 'مرحبا بالعالم');
    expect(await log(page).getByText('مرحبا بالعالم').first().evaluate(direction)).toBe('rtl');
    const field = page.getByLabel('Your message');
    await field.fill('مرحبا بالعالم');
    expect(await field.evaluate(direction)).toBe('rtl');
    await page.goto('/keys');
    expect(await page.getByText('مفتاح').evaluate(direction)).toBe('rtl');
  });

  test('the first call is explained until one is made; playground keys are one line of the usage and no line of the keys', async () => {
    const { page, person } = await member('/');
    await shows(page, /^Replace the value of API_KEY/);
    for (const calls of [1, 2]) {
      await page.goto('/playground');
      await ask(page, 'Hello', calls);
    }
    await service.settled();
    const own = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(own.filter(({ name }: { name: string }) => name === 'Playground')).toHaveLength(2);
    await page.goto('/usage?group=key');
    const rows = page.getByRole('table', { name: 'Usage by key' }).getByRole('row');
    await eventually(() => rows.allTextContents()).toEqual([
      expect.any(String),
      expect.stringMatching(/^Playground2\d+0\d+2100%$/),
    ]);
    await page.goto('/keys?show=all');
    const keys = page.getByRole('table', { name: 'API keys' });
    await keys.waitFor();
    expect(await keys.textContent()).not.toContain('Playground');
    await page.goto('/');
    await page.locator('.uplot canvas').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText(/^Replace the value of API_KEY/).count()).toBe(0);
  });

  test('usage by day is in date order, for any costs', async () => {
    const page = await visit(await service.person({ planRank: 2 }));
    const days = [
      { date: '2026-03-01', credits: 5 },
      { date: '2026-03-03', credits: 1 },
      { date: '2026-03-02', credits: 9 },
    ].map((day) => ({ ...day, service: 'chat', model: 'svc-1', keyId: null, calls: 1 }));
    await changeData(page, '**/api/usage?*', () => ({ from: '2026-03-01', to: '2026-03-05', timezone: 'UTC', days }));
    await page.goto('/usage?group=day');
    const table = page.getByRole('table', { name: 'Usage by day' });
    await table.waitFor();
    expect((await table.getByRole('row').allTextContents()).slice(1).map((row) => row.slice(0, 10))).toEqual([
      '3 Mar 2026',
      '2 Mar 2026',
      '1 Mar 2026',
    ]);
  });
}
