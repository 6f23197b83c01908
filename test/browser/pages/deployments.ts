import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { changeData, eventually, goTo, heading, member, refuse, service, shows, visit } from '../stage.ts';
import { loadsOf } from './loads.ts';

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
