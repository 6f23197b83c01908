import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { complaints, eventually, goTo, member, press, service, shows, visit } from '../stage.ts';
import { loadsOf } from './loads.ts';

const memberPages = ['/', '/keys', '/plans', '/usage', '/playground', '/settings'];
const plansChunk = '**/assets/plans-*.js';

const boundary = (page: Page) => page.getByRole('alert').filter({ hasText: 'Something went wrong' });

/** A page whose chunk throws when it is rendered. */
const throwing = (chunk: string) => (page: Page) =>
  page.route(chunk, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'export default function Broken() { throw new Error("the plans are upside down"); }',
    }),
  );

export function boundaryTests(): void {
  test('shows its charts in any browser language', async () => {
    const person = await service.person();
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    for (const language of ['en-US@posix', 'C', '', 'de_DE', 'x-']) {
      const page = await visit(person);
      await page.addInitScript(`
        Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(language)} });
        Object.defineProperty(Navigator.prototype, 'languages', { get: () => [${JSON.stringify(language)}] });
      `);
      for (const path of language === 'en-US@posix' ? memberPages : ['/usage']) {
        await page.goto(path);
        await page.locator('h1').first().waitFor();
        if (path === '/usage' || path === '/') await page.locator('.uplot canvas').first().waitFor();
        expect([language, path, await boundary(page).count()]).toEqual([language, path, 0]);
      }
    }
  });

  test('a page that throws shows an error, and the others still work', async () => {
    const { page } = await member('/');
    await throwing(plansChunk)(page);
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    await shows(page, /the plans are upside down/);
    expect(complaints().join(' ')).toContain('the plans are upside down');
    await goTo(page, 'API keys');
    await shows(page, 'Your keys');
    expect(await boundary(page).count()).toBe(0);
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    await page.unroute(plansChunk);
    await press(page, 'Reload');
    await shows(page, 'SMME Pass');
    complaints();
  });

  test('a sign-in page that throws shows an error with a link to the overview', async () => {
    const page = await visit();
    await throwing('**/assets/login-*.js')(page);
    await page.goto('/login');
    await boundary(page).waitFor();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    expect(complaints()).not.toEqual([]);
  });

  test('a failure above all pages leaves no blank page', async () => {
    const page = await visit();
    await page.addInitScript('window.matchMedia = () => { throw new Error("no media here"); };');
    await page.goto('/login');
    await boundary(page).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    expect(complaints()).not.toEqual([]);
  });

  test('a failed chart leaves the numbers visible', async () => {
    const person = await service.person();
    const page = await visit(person);
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    await throwing('**/assets/day-chart-*.js')(page);
    await page.goto('/usage');
    await shows(page, 'The chart could not be shown.');
    await page.getByRole('table', { name: 'Usage by service' }).waitFor();
    expect(complaints()).not.toEqual([]);
  });

  test('a page whose code a deployment has removed reloads once, or shows an error without a loop', async () => {
    const { page } = await member('/');
    await shows(page, 'Make your first call');
    const reloaded = loadsOf(page);
    await page.route(plansChunk, (route) => route.fulfill({ status: 404, body: '' }), { times: 1 });
    await goTo(page, 'Plans');
    await shows(page, 'SMME Pass');
    expect(reloaded.count).toBe(1);

    await page.goto('/');
    await shows(page, 'Make your first call');
    await page.evaluate('sessionStorage.clear()');
    const loads = loadsOf(page);
    await page.route(plansChunk, (route) => route.fulfill({ status: 404, body: '' }));
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    expect(loads.count).toBe(1);
    for (const name of ['API keys', 'Plans', 'Usage', 'Plans']) {
      await goTo(page, name);
      await eventually(() => boundary(page).count()).toBe(name === 'Plans' ? 1 : 0);
    }
    expect(loads.count).toBe(1);
    await press(page, 'Reload');
    await boundary(page).waitFor();
    expect(loads.count).toBe(2);
    await page.unroute(plansChunk);
    await press(page, 'Reload');
    await shows(page, 'SMME Pass');
    complaints();
  });

  test('a page that cannot load its code while the service is down does not reload', async () => {
    const { page } = await member('/');
    await shows(page, 'Make your first call');
    const loads = loadsOf(page);
    await page.route('**', (route) => route.abort());
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    expect(loads.count).toBe(0);
    complaints();
  });

  test('pages work with storage disabled', async () => {
    const page = await visit(await service.person());
    await page.addInitScript(`
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get: () => { throw new DOMException('denied', 'SecurityError'); } });
    `);
    for (const path of memberPages) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
      expect(await boundary(page).count()).toBe(0);
    }
    complaints();
  });
}
