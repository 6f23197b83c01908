import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { launchBrowser } from '#test/browser.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

/** Folder of the screenshots of a run with `SCREENSHOTS` set, ignored by git. Screenshots take a seventh of the run. */
const screenshots = join(import.meta.dirname, '..', '..', 'test-output', 'dashboard');

/** The service of a file's tests, which also share one browser. */
export let service: TestService;
let browser: Browser;
const complained: string[] = [];

/**
 * Starts the service and the browser for the tests of a file. Each test starts without a page. `optimizes` is needed to
 * measure the CPU time of pages.
 */
export function useStage({ optimizes = false } = {}): void {
  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startTestService({ buildDashboard: true, wordDelayMs: 4 }),
      launchBrowser({ optimizes }),
      mkdir(screenshots, { recursive: true }),
    ]);
  }, 60_000);
  afterEach(closePages);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });
}

/** Closes the pages of a test, which would otherwise keep sending requests. Throws if a page reported an error. */
async function closePages(): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  // A request that a test intercepts may still be running.
  await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.all(browser.contexts().map((context) => context.close()));
  const errors = complaints();
  if (errors.length > 0) throw new Error(`the page complained: ${errors.join('; ')}`);
}

/** Exceptions and policy violations of any page since the last call. */
export const complaints = (): string[] => complained.splice(0);

export const phone = { viewport: { width: 360, height: 740 } };

/** Opens a blank page in a new browser profile, signed in as the person if given. */
export async function visit(person?: Pick<Person, 'cookie'>, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    baseURL: service.origin,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    viewport: { width: 1360, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  if (person) await become(page, person);
  page.on('pageerror', (error) => complained.push(error.message));
  page.on('console', (message) => {
    // Refused requests are logged to the console too. The tests check how the page reports them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complained.push(message.text());
  });
  return page;
}

/** Like `visit`, at a path. */
export async function open(
  path: string,
  person?: Pick<Person, 'cookie'>,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await visit(person, options);
  await page.goto(path);
  return page;
}

/** Like `open`, as a new confirmed person with a key, on the given plan and with the given credits. */
export async function member(
  path: string,
  about: Parameters<TestService['person']>[0] = {},
  options?: BrowserContextOptions,
): Promise<{ page: Page; person: Person }> {
  const person = await service.person(about);
  return { page: await open(path, person, options), person };
}

/** Replaces the session cookie of the browser without notifying any page. */
export async function become(page: Page, { cookie }: Pick<Person, 'cookie'>): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: service.origin }]);
}

/** Fills in the sign-in form. */
export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await press(page, /^Sign in$/);
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENSHOTS']) return;
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

/** Presses the button with that name, including buttons of dialogs. */
export const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

/** Follows the link in the navigation. */
export const goTo = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).first().click();

/** Selects an option from a list that opens on click. */
export async function pick(page: Page, name: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Resolves when the page shows the text. */
export const shows = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** Resolves when the page has the heading. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name, exact: true }).first().waitFor();

/** Retries until the expectation holds, which must be awaited. */
// oxlint-disable-next-line vitest/require-awaited-expect-poll
export const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { timeout: 8000 });

export const log = (page: Page) => page.getByRole('log');

/** Sends a message in a chat or to an agent. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await press(page, 'Send');
}

/** Sends a message, and waits until this many responses have ended in total. */
export async function ask(page: Page, text: string, responses = 1): Promise<void> {
  await say(page, text);
  await eventually(() => log(page).getByText('finish_reason: stop').count()).toBe(responses);
}

/** Saves the file that a button offers. */
export async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const pressed = page.getByRole('button', { name: button, exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), pressed]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Responds to the page's requests for a URL with an API error, for one method or all. */
export async function refuse(
  page: Page,
  url: string,
  { status, message, detail }: { status: number; message: string; detail: string },
  method?: string,
): Promise<void> {
  await page.route(url, (route) =>
    method === undefined || route.request().method() === method
      ? route.fulfill({ status, json: { error: true, message, status, data: null, detail } })
      : route.fallback(),
  );
}

/** Changes the data of API responses to the page's requests for a URL. */
export async function changeData(page: Page, url: string, change: (data: any, url: string) => unknown): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, data: change(body.data, route.request().url()) } });
  });
}

export const storedIn = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');

/** Records the URLs that a page requests from now on. */
export function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => void urls.push(request.url()));
  return urls;
}

/** Counts the distinct text lengths of an element from now on. */
export async function lengthsOf(page: Page, selector: string): Promise<() => Promise<number>> {
  await page.evaluate(`(() => {
    window.lengths = new Set();
    new MutationObserver(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      if (element) lengths.add(element.textContent.length);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  })()`);
  return () => page.evaluate('lengths.size');
}

export async function newOperator(): Promise<Person> {
  const person = await service.person();
  await (await services().operators()).actions().setRole(person.email, 'operator');
  return person;
}

/** Fills in the dialog that a button opens, and confirms it. */
export async function act(page: Page, opener: string, action: string, values: Record<string, string>): Promise<void> {
  await press(page, opener);
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: action }).click();
}
