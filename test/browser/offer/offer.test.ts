import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { palettesOf } from '#contract/offer/palette.ts';
import { launchBrowser } from '#test/browser.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { exampleOffer, startOffered } from '#test/service/offered-service.ts';
import { findings, isTooWide, ofColors } from '../pages/findings.ts';

const accent = '#7a1f6b';
const links = {
  terms: 'https://acme.example/terms',
  privacy: 'https://acme.example/privacy',
  status: 'https://status.acme.example/',
};
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32"><path d="M2 30 18 2l16 28z" fill="#7a1f6b"/><circle cx="48" cy="18" r="12" fill="#1e1d1a"/></svg>';

const widths = [1280, 360] as const;
const schemes = ['light', 'dark'] as const;
const screenshots = join(import.meta.dirname, '../../../test-output/offer');

describe('the dashboard of an offer', () => {
  let folder: string;
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startOffered>>;
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = await testFolder();
    await writeFile(join(folder, 'logo.svg'), logo);
    await mkdir(screenshots, { recursive: true });
    const example = await exampleOffer();
    const product = { ...example['product'], accent, logo: 'logo.svg', links, termsVersion: 1 };
    const older = example['plans'].map((plan: { features?: string[] }) =>
      plan.features ? { ...plan, features: ['messages', ...plan.features] } : plan,
    );
    await (await startOffered({ ...example, plans: older, product }, folder)).stop();
    const plans = example['plans'].map((plan: { name: string }) =>
      plan.name === 'team' ? { ...plan, priceUsd: 30, creditsPerMonth: 900, maxConcurrentCalls: 20 } : plan,
    );
    const next = { ...example, plans, product: { ...product, termsVersion: 2 } };
    [service, browser] = await Promise.all([startOffered(next, folder, { isBuilt: true }), launchBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await removeFolder(folder);
  });

  async function open(path: string, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
    const context = await browser.newContext({
      baseURL: service.origin,
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(8000);
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
    });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  async function isDone(page: Page): Promise<void> {
    await page.context().close();
    expect(complaints).toEqual([]);
  }

  async function looksRight(page: Page, name: string, width: number, scheme: 'light' | 'dark'): Promise<void> {
    const logoWidth = await page.evaluate(`document.querySelector('img[src="/logo.svg"]')?.naturalWidth`);
    expect([await isTooWide(page), logoWidth]).toEqual([false, expect.any(Number)]);
    expect(logoWidth).toBeGreaterThan(0);
    expect(await findings(page, scheme === 'dark' ? ofColors : undefined)).toEqual([]);
    if (process.env['SCREENSHOTS'])
      await page.screenshot({ path: join(screenshots, `${name}-${scheme}-${width}.png`), fullPage: true });
  }

  /** Each theme at one width. */
  const cases = schemes.map((scheme, index) => [scheme, widths[index % widths.length] ?? 0] as const);

  it.each(cases)('shows logo, color and links when registering, %s at %i pixels', async (scheme, width) => {
    const page = await open('/register', width, scheme);
    const color = await page.evaluate(`getComputedStyle(document.querySelector('form [type=submit]')).backgroundColor`);
    const { accent: expected } = palettesOf(accent)[scheme];
    const channels = [1, 3, 5].map((at) => Number.parseInt(expected.slice(at, at + 2), 16));
    expect(color).toBe(`rgb(${channels.join(', ')})`);
    const sentence = page.getByText('you agree to the');
    expect(await sentence.getByRole('link', { name: 'Terms' }).getAttribute('href')).toBe(links.terms);
    expect(await sentence.getByRole('link', { name: 'Privacy Policy' }).getAttribute('href')).toBe(links.privacy);
    const about = page.getByRole('navigation', { name: 'About Acme AI' }).getByRole('link');
    expect(await about.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      links.terms,
      links.privacy,
      links.status,
      'mailto:help@acme.example',
    ]);
    // 1,000 input tokens at 2 and 300 output tokens at 8 credits per million.
    await page.getByText('0.0044', { exact: true }).waitFor({ state: 'attached' });
    await looksRight(page, 'register', width, scheme);
    await isDone(page);
  });

  it('does not ask a new user to accept the terms again, and states the free credits', async () => {
    const page = await open('/register', 1280, 'light');
    await page.getByText('The Free plan has 50 credits per month. Upgrade when you need more.').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: 'Skip for now' }).click();
    await page.getByText('Make your first call').first().waitFor();
    await page.getByText('The Free plan has 50 credits per month. Larger plans have more').waitFor();
    await isDone(page);
  });

  it('has no link to a page, guide or action of a service that no plan or model includes', async () => {
    const page = await open('/login?return=/guides', 1280, 'light');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const linksOf = (name: string) => page.getByRole('navigation', { name }).getByRole('link').allInnerTexts();
    await page.getByRole('navigation', { name: 'Guides' }).waitFor();
    expect(await linksOf('Pages')).toEqual(expect.arrayContaining(['Playground', 'Agents', 'Webhooks']));
    expect(await linksOf('Pages')).not.toContain('Messages');
    expect(await linksOf('Guides')).toEqual(expect.arrayContaining(['Chat', 'Agents', 'Translation', 'Webhooks']));
    for (const guide of ['Audio', 'Messages']) expect(await linksOf('Guides')).not.toContain(guide);
    await page.getByLabel('Search the documentation').fill('carrier');
    const found = page.getByRole('list', { name: 'Search results' }).getByRole('link');
    expect((await found.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).join()).not.toContain(
      '/guides/messages',
    );
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog');
    await palette.getByText('Create agent').waitFor();
    expect(await palette.getByText('Send message').count()).toBe(0);
    await page.keyboard.type('message');
    await palette.getByText('New chat').waitFor({ state: 'hidden' });
    expect(await palette.getByText('/api/messages').count()).toBe(0);

    await page.goto(`${service.origin}/logs`);
    const services = page.getByLabel('Service', { exact: true });
    await services.waitFor();
    const shown = await services.locator('option').allTextContents();
    expect(shown).toEqual(expect.arrayContaining(['Chat', 'Translation']));
    for (const name of ['SMS', 'Voice calls', 'Text-to-speech', 'Transcription']) expect(shown).not.toContain(name);
    await isDone(page);
  });

  it('asks once to accept a new version of the terms, and marks kept terms on the plans page', async () => {
    const page = await open('/login?return=/plans', 1280, 'light');
    await page.getByRole('button', { name: 'Use the demo account' }).click();
    await page.getByRole('heading', { name: 'Our terms have changed' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Plans', exact: true }).count()).toBe(0);
    for (const [scheme, width] of cases) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await looksRight(page, 'terms', width, scheme);
    }
    // An API key works in the meantime.
    expect((await service.call('GET', '/api/credits')).status).toBe(200);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Accept and continue' }).click();
    await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
    const messages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Messages' });
    await messages.waitFor();
    const document = await (await fetch(`${service.origin}/openapi.json`)).text();
    expect(document).not.toContain('/api/messages');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('api messages');
    await page.getByRole('dialog').getByText('/api/messages').first().waitFor();
    await page.keyboard.press('Escape');
    expect((await service.call('GET', '/api/auth/me')).body.data.terms).toMatchObject({
      version: 2,
      acceptedVersion: 2,
    });

    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Team' }) });
    await card.getByText('Your terms. New subscriptions cost $30.00 for 900 credits per month.').waitFor();
    for (const text of ['$20.00', '2,500 credits per month', '50 concurrent calls'])
      await card.getByText(text).waitFor();
    // Without payments, the offer's packs are not sold.
    expect(await page.getByText('1,000 credits', { exact: true }).count()).toBe(0);
    for (const [scheme, width] of cases) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await looksRight(page, 'plans', width, scheme);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await card.getByRole('button', { name: /^Use new terms/ }).click();
    await page.getByRole('button', { name: 'Change for' }).click();
    await page.getByText('You are on the Team plan.').waitFor();
    await card.getByText('20 concurrent calls').waitFor();
    // The former terms included messages.
    await messages.waitFor({ state: 'detached' });
    await isDone(page);
  });

  it('publishes texts and an API document without plans and prices of services that are not sold', async () => {
    const textOf = async (path: string) => (await fetch(service.origin + path)).text();
    expect(await textOf('/llms.txt')).not.toMatch(/guides\/(?:audio|messages)\.md/);
    expect(await textOf('/guides/plans-and-limits.md')).not.toMatch(/^\| `(?:sms|audio|transcription|chat)` \|/m);
    expect(await textOf('/guides/plans-and-limits.md')).toMatch(/^\| `translation` \|/m);
    expect(await textOf('/.well-known/security.txt')).toContain('Contact: mailto:help@acme.example');
    for (const path of ['/llms.txt', '/pricing.md', '/guides/messages.md', '/openapi.json'])
      expect(await textOf(path)).not.toContain('undefined');
  });

  it('shows the logo and the name on the pages of npm start, in both themes', async () => {
    for (const scheme of schemes) {
      const page = await open('/_local/inbox', 1280, scheme);
      const mark = page.getByRole('link', { name: 'Acme AI' }).locator('img');
      expect(await mark.evaluate((image: any) => image.naturalWidth > 0)).toBe(true);
      if (process.env['SCREENSHOTS']) await page.screenshot({ path: join(screenshots, `inbox-${scheme}.png`) });
      await isDone(page);
    }
  });
});
