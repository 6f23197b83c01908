import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { isSampled, seed } from '#test/many.ts';
import { eventually, phone, shoot } from '../stage.ts';

/** Guides that together contain examples, tables, lists and links. */
const sampleGuides = new Set(['/guides/quick-start', '/guides/plans-and-limits', '/guides/credits']);
/**
 * Every page as first loaded, operations with each kind of credential, and some guides, because all guides share one
 * page.
 */
export const everyPage: readonly string[] = [
  ...dashboardPages.filter((path) => !path.startsWith('/guides/') || sampleGuides.has(path)),
  '/docs#createChatCompletion',
  '/docs#listKeys',
];

/** The pages that are examined as a guest. */
export const guestPages = new Set<string>([
  '/register',
  '/login',
  '/confirm',
  '/forgot-password',
  '/reset-password',
  '/email-change',
  '/invitation',
]);

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The axe rules that depend on colors. All other rules give the same result in both themes. */
export const ofColors = ['color-contrast', 'link-in-text-block'];

/** Serious and critical axe findings with their elements, once the page is still. */
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

console.log(`looks of seed ${seed}`);

/**
 * Serious axe findings in the light theme, which stays selected, and for a third of all looks (with `LONG`, all) in the
 * dark one, whose colors come from the same palette (test/unit/contract/offer/palette.test.ts).
 */
export async function findingsInBothThemes(page: Page, name: string): Promise<string[]> {
  const dark: string[] = [];
  if (process.env['SCREENSHOTS'] || isSampled(name, 3, seed)) {
    await changeTheme(page, 'dark');
    await shoot(page, `${name}-dark`);
    dark.push(...(await findings(page, ofColors)));
  }
  await changeTheme(page, 'light');
  await shoot(page, `${name}-light`);
  return [...dark, ...(await findings(page))];
}

/** Expects no serious axe findings in either theme. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  expect([name, await findingsInBothThemes(page, name)]).toEqual([name, []]);
}

/** Expects that nothing is wider than the window. */
export async function expectFits(page: Page, name: string, width = phone.viewport.width): Promise<void> {
  await page.setViewportSize({ width, height: phone.viewport.height });
  await still(page);
  await shoot(page, `${name}-${width}`);
  await eventually(async () => [name, await isTooWide(page)]).toEqual([name, false]);
}

export const isTooWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** Expects that the page is readable in both themes and fits a phone. Leaves it at the width of a phone. */
export async function looksWell(page: Page, name: string): Promise<void> {
  await expectReadable(page, name);
  await expectFits(page, name);
}

/** Selects a theme, and resolves once the page shows it. */
export async function changeTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
  await still(page);
}

/**
 * Resolves when no transition or animation is running. Waits for frames first, because a change of styles starts them
 * in the next frame. All of them end, because the tests request reduced motion.
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

/** Resolves when the page is no longer loading anything. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await vi.waitFor(
    async () => expect(await page.locator('.mantine-Skeleton-root[data-visible]').count()).toBe(0),
    8000,
  );
}

/** Visible texts that are a split number or an ISO timestamp. */
export const unreadableTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement } = node;
    if (parentElement.closest('script, style, pre, code, textarea, .mono') || !parentElement.checkVisibility()) continue;
    if (/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d/.test(node.data)) found.push('timestamp: ' + node.data);
    for (const { 0: number, index } of node.data.matchAll(/(?<![\\w-])[+−$]*\\d[\\d.,:]*\\d%?(?!\\w)/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push('broken number: ' + number);
    }
  }
  return found;
})()`);
