import { readFile } from 'node:fs/promises';
import type { Browser, Cookie, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from '#test/browser.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startOffered } from '#test/service/offered-service.ts';
import { looksWell } from '../pages/findings.ts';

const specification = new URL('../../../examples/offers/specification.json', import.meta.url);

/** Credits of the free plan: few, so that a test can use them up. */
export const freeCredits = 2;

let service: Awaited<ReturnType<typeof startOffered>>;
let browser: Browser;
let demoCookies: Cookie[] | undefined;
const complaints: string[] = [];

export const paidService = () => service;

/** Starts the specification's offer with two packs, and a browser. */
export function usePaidService(): void {
  let folder: string;
  beforeAll(async () => {
    const offer = JSON.parse(await readFile(specification, 'utf8'));
    offer.packs = [
      { id: 'small', credits: 1000, priceUsd: 10 },
      { id: 'large', credits: 10_000, priceUsd: 85.5 },
    ];
    offer.plans[0].creditsPerMonth = freeCredits;
    folder = await testFolder();
    [service, browser] = await Promise.all([
      startOffered(offer, folder, { isBuilt: true, takesPayments: true }),
      launchBrowser(),
    ]);
  }, 120_000);
  afterEach(async () => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  });
}

/** A blank page in a new browser profile. */
export async function blankPage(): Promise<Page> {
  const context = await browser.newContext({
    baseURL: service.origin,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
  });
  return page;
}

/** Signs in the demo account, once for all tests, and opens a path. */
export async function signInDemo(page: Page, path: string): Promise<void> {
  if (demoCookies) {
    await page.context().addCookies(demoCookies);
    await page.goto(path);
    return;
  }
  await page.goto(`/login?return=${encodeURIComponent(path)}`);
  await page.getByRole('button', { name: 'Use the demo account' }).click();
  await page.waitForURL((url) => url.pathname === path.split('?')[0]);
  demoCookies = await page.context().cookies();
}

/** Expects that the page has no serious axe finding, and fits a phone. */
export async function looksRight(page: Page, name: string): Promise<void> {
  await looksWell(page, `payments-${name}`);
  await page.setViewportSize({ width: 1280, height: 800 });
}
