import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from '#test/browser.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

/** Where the screenshots of a run with `SCREENSHOTS` set are kept; git ignores it. Taking them costs a seventh of the run. */
const screenshots = join(import.meta.dirname, '..', '..', 'test-output', 'dashboard');

/** One service and one browser for the browser tests of a file. */
export interface Stage {
  readonly service: TestService;
  /** A fresh browser profile, signed in as the person, if one is named. */
  readonly visit: (person?: Pick<Person, 'cookie'>, options?: BrowserContextOptions) => Promise<Page>;
  readonly shoot: (page: Page, name: string) => Promise<void>;
  /** What went wrong in any page since it was last called: exceptions, and what the policy did not let through. */
  readonly complaints: () => string[];
  /** Closes the pages of a test, which would go on reading beside the next one; throws where one complained. */
  readonly leave: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openStage(): Promise<Stage> {
  const [service, browser] = await Promise.all([
    startTestService({ buildDashboard: true, wordDelayMs: 4 }),
    launchBrowser(),
    mkdir(screenshots, { recursive: true }),
  ]);
  const complaints: string[] = [];
  const taken = () => complaints.splice(0);

  return {
    service,
    visit: (person, options) => visit(browser, service, complaints, person, options),
    shoot: async (page, name) => {
      if (!process.env['SCREENSHOTS']) return;
      await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
    },
    complaints: taken,
    leave: async () => {
      const pages = browser.contexts().flatMap((context) => context.pages());
      // A request that a test changes may be under way.
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await Promise.all(browser.contexts().map((context) => context.close()));
      const errors = taken();
      if (errors.length > 0) throw new Error(`the page complained: ${errors.join('; ')}`);
    },
    close: async () => {
      await browser.close();
      await service.close();
    },
  };
}

/** A stage for the tests of a file, which each begin without a page. */
export function useStage(): () => Stage {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  }, 60_000);
  afterEach(() => stage.leave());
  afterAll(() => stage.close());
  return () => stage;
}

async function visit(
  browser: Browser,
  { origin }: TestService,
  complaints: string[],
  person: Pick<Person, 'cookie'> | undefined,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: origin,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    viewport: { width: 1360, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(8000);
  const [name = '', value = ''] = person?.cookie.split('=') ?? [];
  if (person) await context.addCookies([{ name, value, url: origin }]);
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Refused requests are logged to the console too; the tests look at what the page shows of them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return page;
}

/** Presses the button of that name, which may be a dialog's. */
export const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();

/** Resolves when the page shows the text. */
export const shows = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** Looks again until it is so; to be awaited with its expectation. */
// oxlint-disable-next-line vitest/require-awaited-expect-poll
export const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look, { timeout: 8000 });
