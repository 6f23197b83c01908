import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const memberPages = ['/', '/keys', '/plans', '/usage', '/playground', '/settings'];
const plansChunk = '**/assets/plans-*.js';

/** How often the page's document is loaded from now on. */
function loadsOf(page: Page): { readonly count: number } {
  const loads = { count: 0 };
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.count += 1;
  });
  return loads;
}

const goTo = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click();
const boundary = (page: Page) => page.getByRole('alert').filter({ hasText: 'Something went wrong' });

/** The page of a chunk that is served, but throws when it is shown. */
const throwing = (chunk: string) => (page: Page) =>
  page.route(chunk, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'export default function Broken() { throw new Error("the plans are upside down"); }',
    }),
  );

export function boundaryTests(stage: () => Stage): void {
  test.each(['en-US@posix', 'C', '', 'de_DE', 'x-'])(
    'shows its charts where the language is “%s”',
    async (language) => {
      const { service, visit } = stage();
      const person = await service.person();
      await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
      await service.settled();
      const page = await visit(person);
      await page.addInitScript(`
      Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(language)} });
      Object.defineProperty(Navigator.prototype, 'languages', { get: () => [${JSON.stringify(language)}] });
    `);
      for (const path of language === 'en-US@posix' ? memberPages : ['/usage']) {
        await page.goto(path);
        await page.locator('h1').first().waitFor();
        if (path === '/usage' || path === '/') await page.locator('.uplot canvas').first().waitFor();
        expect(await boundary(page).count()).toBe(0);
      }
    },
  );

  test('a page that throws reports it, and the others are still there', async () => {
    const { service, visit, shoot, complaints } = stage();
    const page = await visit(await service.person());
    await throwing(plansChunk)(page);
    await page.goto('/');
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    await shows(page, /the plans are upside down/);
    await shoot(page, 'boundary-page');
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

  test('a sign-in page that throws reports it, with the way to the overview', async () => {
    const { visit, shoot, complaints } = stage();
    const page = await visit();
    await throwing('**/assets/login-*.js')(page);
    await page.goto('/login');
    await boundary(page).waitFor();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await shoot(page, 'boundary-sign-in');
    expect(complaints()).not.toEqual([]);
  });

  test('a failure above all pages leaves no white page', async () => {
    const { visit, shoot, complaints } = stage();
    const page = await visit();
    await page.addInitScript('window.matchMedia = () => { throw new Error("no media here"); };');
    await page.goto('/login');
    await boundary(page).waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await shoot(page, 'boundary-root');
    expect(complaints()).not.toEqual([]);
  });

  test('a chart that cannot be shown leaves the numbers', async () => {
    const { service, visit, shoot, complaints } = stage();
    const person = await service.person();
    await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await service.settled();
    const page = await visit(person);
    await throwing('**/assets/day-chart-*.js')(page);
    await page.goto('/usage');
    await shows(page, 'The chart could not be shown.');
    await page.getByRole('table', { name: 'Usage by service' }).waitFor();
    await shoot(page, 'boundary-chart');
    expect(complaints()).not.toEqual([]);
  });

  test('a page whose code is gone since a deployment is reloaded once, and shown', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/');
    await shows(page, 'Make your first call');
    const loads = loadsOf(page);
    await page.route(plansChunk, (route) => route.fulfill({ status: 404, body: '' }), { times: 1 });
    await goTo(page, 'Plans');
    await shows(page, 'SMME Pass');
    expect(loads.count).toBe(1);
  });

  test('a page whose code stays gone is reloaded once, then reports it, and never loops', async () => {
    const { service, visit, shoot, complaints } = stage();
    const page = await visit(await service.person());
    await page.goto('/');
    await shows(page, 'Make your first call');
    const loads = loadsOf(page);
    await page.route(plansChunk, (route) => route.fulfill({ status: 404, body: '' }));
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    expect(loads.count).toBe(1);
    await shoot(page, 'boundary-chunk');
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

  test('a page whose code cannot be loaded, as the service is away, is not reloaded into nothing', async () => {
    const { service, visit, complaints } = stage();
    const page = await visit(await service.person());
    await page.goto('/');
    await shows(page, 'Make your first call');
    const loads = loadsOf(page);
    await page.route('**', (route) => route.abort());
    await goTo(page, 'Plans');
    await boundary(page).waitFor();
    expect(loads.count).toBe(0);
    complaints();
  });

  test('storage that is switched off takes nothing from the pages', async () => {
    const { service, visit } = stage();
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
    stage().complaints();
  });
}
