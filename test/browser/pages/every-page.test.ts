import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { services } from '#runtime/services/container.ts';
import { atLength } from '#test/many.ts';
import { chat, type Person } from '#test/service/service.ts';
import { eventually, goTo, heading, open, phone, press, service, shoot, shows, visit, useStage } from '../stage.ts';
import { everyPage, findings, findingsInBothThemes, guestPages, settled, still, unreadableTexts } from './findings.ts';
import { firstLoad, firstLoadTests, type Load } from './first-loads.ts';

const guestsOnly = new Set([...guestPages, '/docs', '/guides/credits']);
const widths = [1360, 360];
/** Addresses that open a dialog or a tab. */
const openedPages = ['/keys?new', '/agents?new', '/playground?tab=speech', '/playground?tab=transcription'];
const operatorTabs = ['overview', 'ledger', 'keys', 'requests', 'mails', 'audit'];
/** Pages whose boxes fill a wide window. */
const widePages = new Set(['/', '/keys', '/plans', '/usage', '/logs', '/models', '/playground', '/settings']);

/** Pages that differ for a new account. */
const newcomerPages = ['/', '/usage', '/plans'];

/** The pages whose first load is measured. */
const measured = new Set([...everyPage.filter((path) => path !== '/operator'), ...newcomerPages]);

interface Look {
  readonly path: string;
  readonly loaded: Load | undefined;
  readonly serious: string[];
  readonly isTooWide: boolean;
  /** Texts that a phone splits or that show an ISO timestamp. */
  readonly unreadable: string[];
  /** Pixels left and right of the content in a window of 1,920 pixels. */
  readonly margins: number[];
}

const desktop = { width: 1360, height: 900 };

async function openedPage(person: Person | undefined, path: string) {
  const page = await open(path, person);
  await settled(page);
  return { page, loaded: undefined };
}

/** Loads a page for the first time at a width, and examines it in both themes, on a phone and in a wide window. */
async function look(person: Person | undefined, path: string, width: number): Promise<Look> {
  const name = path.slice(1).replaceAll(/[?#/&=]/g, '-') || 'overview';
  const { page, loaded } = measured.has(path) ? await firstLoad(person, path, width) : await openedPage(person, path);
  await page.setViewportSize(desktop);
  const serious = await findingsInBothThemes(page, name);
  await page.setViewportSize(phone.viewport);
  await still(page);
  await shoot(page, `${name}-phone`);
  // Charts are redrawn some time after a change of the width.
  const fits = page.waitForFunction('document.documentElement.scrollWidth <= innerWidth', undefined, { timeout: 3000 });
  const isTooWide = await fits.then(
    () => false,
    () => true,
  );
  const unreadable = await unreadableTexts(page);
  const margins = widePages.has(path) ? await marginsOf(page) : [];
  await page.context().close();
  return { loaded, path, serious, isTooWide, unreadable, margins };
}

async function marginsOf(page: Page): Promise<number[]> {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await still(page);
  return page.evaluate(`(() => {
    const side = document.querySelector('aside').getBoundingClientRect();
    const boxes = [...document.querySelectorAll('main section, main li')].map((box) => box.getBoundingClientRect());
    return [Math.min(...boxes.map(({ left }) => left)) - side.right, innerWidth - Math.max(...boxes.map(({ right }) => right))];
  })()`);
}

/** Whether the whole element is visible, not scrolled out of a surrounding box. */
const isInView = (element: Locator): Promise<boolean> => element.evaluate(isOnTop);

/** Runs in the page. */
function isOnTop(node: any): boolean {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  const corners = [
    [left + 4, top + 4],
    [right - 4, bottom - 4],
  ];
  return corners.every(([x, y]) => node.contains(node.ownerDocument.elementFromPoint(x, y)));
}

/** An operator with data on every page: keys, webhooks, calls, refusals, a ledger with large numbers. */
async function busyPerson(): Promise<Person> {
  const person = await service.person({ planRank: 4 });
  const { key, cookie, email, id } = person;
  const call = (method: string, path: string, body?: unknown) => service.call(method, path, { cookie, body });
  await (await services().operators()).actions().setRole(email, 'operator');
  await call('POST', '/api/keys', { name: 'intern', limit: { credits: 99_999, period: 'month' } });
  await call('POST', '/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['credits.granted', 'key.created'] });
  await call('POST', `/api/operator/accounts/${id}/credits`, { credits: 123_456, reason: 'For 12,345 calls' });
  for (const body of [chat(), { ...chat(), temperature: 3 }])
    await service.call('POST', '/v1/chat/completions', { key, body });
  await service.call('PUT', '/api/subscription/downgrade-plan', { key, body: { newPlanId: 'dev_pass' } });
  await service.call('POST', '/v1/embeddings', { key, body: { model: 'svc-embed', input: 'Three short words' } });
  await service.settled();
  return person;
}

useStage({ optimizes: true });

describe('every page', () => {
  let person: Person;
  const looks: Look[] = [];
  let loads: (Load & { readonly path: string })[];
  let paths: readonly string[];

  beforeAll(async () => {
    person = await busyPerson();
    const account = operatorTabs.map((tab) => `/operator?account=${person.id}&tab=${tab}`);
    paths = [...everyPage, ...openedPages, '/usage?group=key', ...account];
    // Alternates between the widths at which the pages load. At full length, both for each page.
    const lookAt = async (whose: Person | undefined, path: string, index: number) => {
      for (const width of atLength([widths[index % 2] ?? 0], widths)) looks.push(await look(whose, path, width));
    };
    for (const [index, path] of paths.entries()) await lookAt(guestsOnly.has(path) ? undefined : person, path, index);
    const newcomer = await service.person();
    for (const [index, path] of newcomerPages.entries()) await lookAt(newcomer, path, index + 1);
    loads = looks.flatMap(({ path, loaded }) => (loaded ? [{ path, ...loaded }] : []));
    const rows = loads.map(({ path, bytes, files, shift, maxTaskMs: ms }) => {
      const weight = `${Math.round(bytes / 1000)} KB, ${files} files`;
      return `${path}: ${weight}, shift ${shift.toFixed(3)}, longest task ${ms.toFixed()} ms`;
    });
    console.log(rows.join('\n'));
  }, 600_000);

  firstLoadTests(() => loads);

  test('has no serious axe findings in either theme', () => {
    expect(looks).toHaveLength(atLength(1, 2) * (paths.length + newcomerPages.length));
    expect(looks.filter(({ serious }) => serious.length > 0)).toEqual([]);
  });

  test('fits a phone of 360 pixels without horizontal scrolling, split numbers or ISO timestamps', () => {
    expect(looks.filter(({ isTooWide, unreadable }) => isTooWide || unreadable.length > 0)).toEqual([]);
  });

  test('uses the width of a window of 1,920 pixels', () => {
    const wide = looks.filter(({ margins }) => margins.length > 0);
    expect(new Set(wide.map(({ path }) => path))).toEqual(widePages);
    expect(wide.filter(({ margins }) => Math.max(...margins) > 64)).toEqual([]);
  });

  test('stacks the cells of guide tables on a phone, and no table scrolls sideways', async () => {
    const page = await visit(person, phone);
    const tables = page.getByRole('region', { name: 'Table' });
    let seen = 0;
    for (const path of dashboardPages.filter((one) => one.startsWith('/guides/'))) {
      await page.goto(path);
      await page.locator('main [class*=_guide_] > p').first().waitFor();
      const wide = await tables.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect([path, wide]).toEqual([path, 0]);
      seen += await tables.count();
    }
    expect(seen).toBeGreaterThan(20);
    await page.goto('/guides/plans-and-limits');
    const row = page.getByRole('row').filter({ hasText: 'svc-1-32k' });
    await row.waitFor();
    const cells = await row.getByRole('cell').all();
    const boxes = (await Promise.all(cells.map((cell) => cell.boundingBox()))).filter((box) => box !== null);
    expect(boxes).toHaveLength(4);
    expect(new Set(boxes.map(({ x }) => x)).size).toBe(1);
    expect(boxes.map(({ y }) => y)).toEqual(boxes.map(({ y }) => y).toSorted((one, other) => one - other));
  }, 60_000);

  test.each([1280, 360])('shows the account menu and the current page in a window of %i × 640 px', async (width) => {
    const page = await visit(await service.person(), { viewport: { width, height: 640 } });
    const openMenu = async () => width < 600 && press(page, 'Menu');
    for (const path of ['/docs', '/']) {
      await page.goto(path);
      await settled(page);
      await openMenu();
      const account = page.getByRole('button', { name: /^Account of/ });
      await account.waitFor();
      await still(page);
      await shoot(page, `low-${width}-${path.slice(1) || 'overview'}`);
      const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="page"]');
      expect([await isInView(account), await isInView(current)]).toEqual([true, true]);
    }
    const linksOf = async (name: string) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('list', { name }).getByRole('link').allTextContents();
    expect(await linksOf('Build')).toEqual(['Playground', 'Models', 'API keys', 'Agents', 'Messages', 'Webhooks']);
    expect(await linksOf('Monitor')).toEqual(['Usage', 'Logs']);
    expect(await linksOf('Account')).toEqual(['Plans', 'Organization', 'Settings']);
    expect(await linksOf('Docs')).toEqual(['Guides', 'API reference']);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API keys' }).click();
    await heading(page, 'API keys');
  });

  test('can be used with the keyboard: a link skips the navigation, and focus moves to the heading of the next page', async () => {
    const page = await open('/', person);
    await settled(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.getByRole('link', { name: 'Usage', exact: true }).focus();
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate('document.activeElement.outerHTML')).toMatch(/^<h1.*Usage/);
    expect(await page.title()).toBe('Usage · Text AI platform');
  });

  test('keeps the chosen theme after a reload', async () => {
    const page = await open('/settings', person, { colorScheme: 'light' });
    await press(page, 'Switch to dark theme');
    await page.reload();
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
  });

  test('shows an unknown address as a 404 with a link to the overview', async () => {
    const page = await visit(person);
    expect((await page.goto('/no-such-page'))?.status()).toBe(404);
    await heading(page, 'Page not found');
    expect(await findingsInBothThemes(page, 'not-found')).toEqual([]);
    await goTo(page, 'Overview');
    await shows(page, /^Hello, /);
    expect((await page.goto('/api/no-such-path'))?.status()).toBe(404);
    await shows(page, /NOT_FOUND/);
  });
});
