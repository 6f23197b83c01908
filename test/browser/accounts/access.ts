import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { chat, type Person } from '#test/service/service.ts';
import { changeTheme, everyPage, findings, guestPages, settled, still } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

/** Pages with something open, beside those that are first loaded. */
const openedPages = ['/keys?new', '/agents?new', '/playground?tab=speech', '/playground?tab=transcription'];

const open = new Set([...guestPages, '/docs', '/guides/credits']);

interface Look {
  readonly path: string;
  readonly light: string[];
  readonly dark: string[];
  readonly isTooWide: boolean;
}

/** A page in both colours and on a phone, loaded once. */
async function look({ shoot }: Stage, page: Page, path: string): Promise<Look> {
  const name = path.slice(1).replaceAll(/[?#/]/g, '-') || 'overview';
  await page.goto(path);
  await settled(page);
  await shoot(page, `${name}-light`);
  const light = await findings(page);
  await changeTheme(page, 'dark');
  await shoot(page, `${name}-dark`);
  const dark = await findings(page);
  await changeTheme(page, 'light');
  await page.setViewportSize({ width: 360, height: 740 });
  await still(page);
  await shoot(page, `${name}-phone`);
  // Charts are drawn again some time after.
  const fits = page.waitForFunction('document.documentElement.scrollWidth <= innerWidth', undefined, { timeout: 3000 });
  const isTooWide = await fits.then(
    () => false,
    () => true,
  );
  await page.setViewportSize({ width: 1360, height: 900 });
  return { path, light, dark, isTooWide };
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

export function accessTests(stage: () => Stage): void {
  let person: Person;
  const looks: Look[] = [];

  beforeAll(async () => {
    const { service, visit } = stage();
    person = await service.person({ planRank: 2 });
    const { key } = person;
    await Promise.all([1, 2, 3].map(() => service.call('POST', '/v1/chat/completions', { key, body: chat() })));
    await service.settled();
    const [guest, member] = [await visit(), await visit(person)];
    for (const path of [...everyPage, ...openedPages])
      looks.push(await look(stage(), open.has(path) ? guest : member, path));
  }, 240_000);

  test.each(['light', 'dark'] as const)('has nothing in %s that axe finds serious', (scheme) => {
    expect(looks).toHaveLength(everyPage.length + openedPages.length);
    expect(looks.filter((seen) => seen[scheme].length > 0).map((seen) => [seen.path, seen[scheme]])).toEqual([]);
  });

  test('fits a phone of 360 pixels without scrolling sideways', () => {
    expect(looks.filter(({ isTooWide }) => isTooWide).map(({ path }) => path)).toEqual([]);
  });

  test('can be reached on a phone over the menu', async () => {
    const page = await stage().visit(person, { viewport: { width: 360, height: 740 } });
    await page.goto('/settings');
    await press(page, 'Menu');
    await page.getByRole('dialog').getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });

  test.each([1280, 360])(
    'keeps the account menu in view in a window of %i × 640 px, whatever page is current',
    async (width) => {
      const { visit, shoot } = stage();
      const page = await visit(person, { viewport: { width, height: 640 } });
      for (const path of ['/docs', '/']) {
        await page.goto(path);
        await settled(page);
        if (width < 600) await press(page, 'Menu');
        const account = page.getByRole('button', { name: /^Account of/ });
        await account.waitFor();
        await still(page);
        await shoot(page, `low-${width}-${path.slice(1) || 'overview'}`);
        const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="page"]');
        expect([await isInView(account), await isInView(current)]).toEqual([true, true]);
      }
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      expect(await findings(page)).toEqual([]);
    },
  );

  test('is listed under Build, Monitor, Account or Docs', async () => {
    const page = await stage().visit(person);
    await page.goto('/');
    await settled(page);
    const linksOf = async (name: string) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('list', { name }).getByRole('link').allTextContents();
    expect(await linksOf('Build')).toEqual(['Playground', 'API keys', 'Agents', 'Messages', 'Webhooks']);
    expect(await linksOf('Monitor')).toEqual(['Usage', 'Logs']);
    expect(await linksOf('Account')).toEqual(['Plans', 'Settings']);
    expect(await linksOf('Docs')).toEqual(['Guides', 'API reference']);
  });

  test('uses the width of a window of 1920 pixels', async () => {
    const page = await stage().visit(person, { viewport: { width: 1920, height: 1080 } });
    for (const path of ['/', '/keys', '/plans', '/usage', '/logs', '/playground', '/settings']) {
      await page.goto(path);
      await settled(page);
      const margins: number[] = await page.evaluate(`(() => {
        const side = document.querySelector('aside').getBoundingClientRect();
        const boxes = [...document.querySelectorAll('main section, main li')].map((box) => box.getBoundingClientRect());
        return [Math.min(...boxes.map(({ left }) => left)) - side.right, innerWidth - Math.max(...boxes.map(({ right }) => right))];
      })()`);
      expect([path, ...margins.map((margin) => margin <= 64)]).toEqual([path, true, true]);
    }
  });

  test('can be walked with the keyboard: past the navigation, and to the heading of the next page', async () => {
    const page = await stage().visit(person);
    await page.goto('/');
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

  test('keeps the colours one chose over a reload', async () => {
    const page = await stage().visit(person, { colorScheme: 'light' });
    await page.goto('/settings');
    await press(page, 'Switch to dark theme');
    await page.reload();
    await page.getByRole('button', { name: 'Switch to light theme' }).waitFor();
  });

  test('is there for an address that nothing matches, with its 404', async () => {
    const page = await stage().visit();
    const response = await page.goto('/no-such-page');
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect((await page.goto('/api/no-such-path'))?.status()).toBe(404);
    await shows(page, /NOT_FOUND/);
  });
}
