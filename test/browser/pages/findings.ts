import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { eventually, phone, shoot } from '../stage.ts';

/** Guides with all that there is in guides: examples, tables, lists, links. */
const sampleGuides = new Set(['/guides/quick-start', '/guides/plans-and-limits', '/guides/credits']);
/**
 * Every page as it is first loaded, and operations of each kind of credential; of the guides, which are one page with other
 * texts, some.
 */
export const everyPage: readonly string[] = [
  ...dashboardPages.filter((path) => !path.startsWith('/guides/') || sampleGuides.has(path)),
  '/docs#createChatCompletion',
  '/docs#listKeys',
];

/** Those of somebody without a session. */
export const guestPages = new Set<string>([
  '/register',
  '/login',
  '/confirm',
  '/forgot-password',
  '/reset-password',
  '/email-change',
]);

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The rules of axe that depend on colours; the others find the same in both themes. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** What axe finds serious or critical, with the elements it means, once nothing of the page moves or fades any more. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await still(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const violations: Finding[] = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** What axe finds serious in the dark theme and then in the light one, which stays. */
export async function findingsInBothThemes(page: Page, name: string): Promise<string[]> {
  await changeTheme(page, 'dark');
  await shoot(page, `${name}-dark`);
  const dark = await findings(page, ofColours);
  await changeTheme(page, 'light');
  await shoot(page, `${name}-light`);
  return [...dark, ...(await findings(page))];
}

/** The page has nothing that axe finds serious, in both themes. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  expect([name, await findingsInBothThemes(page, name)]).toEqual([name, []]);
}

/** Nothing of the page is wider than the window. */
export async function expectFits(page: Page, name: string, width = phone.viewport.width): Promise<void> {
  await page.setViewportSize({ width, height: phone.viewport.height });
  await still(page);
  await shoot(page, `${name}-${width}`);
  await eventually(async () => [name, await isTooWide(page)]).toEqual([name, false]);
}

export const isTooWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** The page can be read in both themes, and fits a phone, whose width it then has. */
export async function looksWell(page: Page, name: string): Promise<void> {
  await expectReadable(page, name);
  await expectFits(page, name);
}

/** Shows the page in a theme, and resolves when it has changed to it. */
export async function changeTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
  await still(page);
}

/**
 * Resolves when no transition or animation runs. Frames first: what changes the styles starts them with the next one.
 * All of them end, as the tests request reduced motion.
 */
export async function still(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const running = () => document.getAnimations().filter(({ playState }) => playState === 'running');
    do {
      await frame();
      await frame();
      await Promise.allSettled(running().map(({ finished }) => finished));
    } while (running().length > 0);
  })()`);
}

/** Resolves when nothing of the page is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await vi.waitFor(
    async () => expect(await page.locator('.mantine-Skeleton-root[data-visible]').count()).toBe(0),
    8000,
  );
}
