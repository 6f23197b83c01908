import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import {
  complaints,
  eventually,
  goTo,
  member,
  press,
  service,
  shows,
  visit,
  changeData,
  heading,
  refuse,
} from '../stage.ts';

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

/** Counts the loads of the page's document from now on. */
function loadsOf(page: Page): { readonly count: number } {
  const loads = { count: 0 };
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.count += 1;
  });
  return loads;
}

/** Matches references to the files of a build in documents and modules. */
const file = /((?:\.\/|\bassets\/)[\w.-]+)\.(js|css)\b/g;

const minutesLater = (page: Page) => page.clock.fastForward(120_000);

/** Serves the build under other file names, like an earlier build. The returned function deploys the current build. */
async function openEarlierBuild(page: Page): Promise<() => Promise<void>> {
  const asEarlier = async (route: Route): Promise<void> => {
    const response = await route.fetch({ url: route.request().url().replace('-earlier', '') });
    await route.fulfill({ response, body: (await response.text()).replaceAll(file, '$1-earlier.$2') });
  };
  const isDocument = (url: URL): boolean => !url.pathname.includes('.') && !url.pathname.startsWith('/api');
  await page.clock.install();
  await page.route(isDocument, asEarlier);
  // Earlier files stay in the bucket after a deployment.
  await page.route('**/assets/*-earlier.*', asEarlier);
  return () => page.unroute(isDocument, asEarlier);
}

const isEarlier = (page: Page): Promise<boolean> => page.evaluate(`document.head.innerHTML.includes('-earlier.js')`);

export function deploymentTests(): void {
  test('an open page reloads once at its next navigation after a deployment, and shows that page', async () => {
    const page = await visit(await service.person());
    const deploy = await openEarlierBuild(page);
    await page.goto('/');
    await shows(page, 'Make your first call');
    const loads = loadsOf(page);
    await goTo(page, 'Plans');
    await shows(page, 'SMME Pass');
    await minutesLater(page);
    await deploy();

    const looked = page.waitForResponse((response) => new URL(response.url()).pathname === '/login');
    await goTo(page, 'API keys');
    await looked;
    expect([loads.count, await isEarlier(page)]).toEqual([0, true]);
    await goTo(page, 'Usage');
    await eventually(() => isEarlier(page)).toBe(false);
    await heading(page, 'Usage');
    expect([loads.count, new URL(page.url()).pathname]).toEqual([1, '/usage']);

    for (const name of ['Plans', 'API keys', 'Usage']) {
      await minutesLater(page);
      await goTo(page, name);
    }
    await heading(page, 'Usage');
    expect(loads.count).toBe(1);
  });

  test('unsaved input survives when the page detects a newer version', async () => {
    const page = await visit(await service.person());
    const deploy = await openEarlierBuild(page);
    await page.goto('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Half a na');
    const loads = loadsOf(page);
    await minutesLater(page);
    await deploy();
    const looked = page.waitForResponse((response) => new URL(response.url()).pathname === '/login');
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await looked;
    await minutesLater(page);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a na');
    expect(loads.count).toBe(0);
    await goTo(page, 'Plans');
    await eventually(() => loads.count).toBe(1);
    await shows(page, 'SMME Pass');
  });

  test('a page checks for a newer version at most once a minute, and not at its first load', async () => {
    const { page } = await member('/');
    await shows(page, 'Make your first call');
    const looks: string[] = [];
    page.on('request', (request) => {
      if (!request.isNavigationRequest() && new URL(request.url()).pathname === '/login') looks.push(request.url());
    });
    for (const name of ['Plans', 'API keys', 'Usage']) await goTo(page, name);
    await heading(page, 'Usage');
    expect(looks).toEqual([]);
  });

  test('the page accepts unknown fields and error codes of a newer API', async () => {
    const page = await visit(await service.person());
    await changeData(page, '**/api/**', (data) =>
      data && !Array.isArray(data) ? { ...data, added: { since: 'n + 1' } } : data,
    );
    await page.goto('/');
    await shows(page, 'Make your first call');
    const unknown = { status: 409, message: 'NEVER_HEARD_OF', detail: 'Plans are being counted.' };
    await refuse(page, '**/api/subscription/plans', unknown);
    await goTo(page, 'Plans');
    await shows(page, 'Plans are being counted.');
  });
}
