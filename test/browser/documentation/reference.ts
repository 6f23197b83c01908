import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, press, type Stage, shows } from '../stage.ts';

const body = (page: Page) => page.getByRole('region', { name: 'response body' });
const stored = (page: Page) => page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })');
const sample = (page: Page) => page.getByRole('region', { name: 'cURL example' });

/** The addresses that a page requests which are not of its origin. */
function foreignRequests(page: Page, origin: string): string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) foreign.push(url);
  });
  return foreign;
}

export function referenceTests(stage: () => Stage): void {
  test('opens an operation by its link, takes a key and sends it, all to its own origin; the key is this tab’s', async () => {
    const { service, visit } = stage();
    const { key } = await service.person({ planRank: 2 });
    const page = await visit(undefined, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const foreign = foreignRequests(page, service.origin);
    await page.goto('/docs#/Inference/listModels');
    await page.getByRole('heading', { name: 'List the models' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);

    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toContain('"id": "svc-1"');
    expect(await sample(page).textContent()).toContain(`${service.origin}/v1/models`);
    expect(await page.locator('main').textContent()).not.toContain(key);

    await page.reload();
    await eventually(() => page.getByLabel('API key', { exact: true }).inputValue()).toBe(key);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(key);
    const other = await page.context().newPage();
    await other.goto('/docs#listModels');
    await other.getByRole('heading', { name: 'List the models' }).waitFor();
    expect(await other.getByLabel('API key', { exact: true }).inputValue()).toBe('');
    expect(foreign).toEqual([]);
    await page.context().close();
  });

  test('keeps a key that was entered before it was known who is signed in', async () => {
    const { service, visit } = stage();
    const { cookie, key } = await service.person();
    for (const person of [undefined, { cookie }]) {
      const page = await visit(person);
      const known = Promise.withResolvers<void>();
      await page.route('**/auth/me', async (route) => {
        await known.promise;
        await route.fallback();
      });
      await page.goto('/docs#listModels');
      await page.getByLabel('API key', { exact: true }).fill(key);
      expect(await stored(page)).not.toContain(key);
      known.resolve();
      await eventually(() => stored(page)).toContain(key);
      await page.context().close();
    }
  });

  test('forgets the key of a guest who signs in, and that of a person who signs out', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit();
    await page.goto('/docs#listModels');
    await page.getByLabel('API key', { exact: true }).fill('tai_of_a_guest');
    await eventually(() => stored(page)).toContain('tai_of_a_guest');
    const [name = '', value = ''] = person.cookie.split('=');
    await page.context().addCookies([{ name, value, url: service.origin }]);
    await page.reload();
    await eventually(() => stored(page)).not.toContain('tai_of_a_guest');

    await page.getByLabel('API key', { exact: true }).fill(person.key);
    await eventually(() => stored(page)).toContain(person.key);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await stored(page)).not.toContain(person.key);
    await page.context().close();
  });

  test('shows a stream as it comes, with a key that is made for it', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/docs#createChatCompletion');
    await page.getByText('Temporary key', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Example' }).selectOption('A stream');
    expect(await sample(page).textContent()).toContain('"stream": true');
    await press(page, 'Send');
    const lengths = new Set<number>();
    await page.getByText('Receiving…').waitFor();
    while (await page.getByText('Receiving…').isVisible()) lengths.add((await body(page).textContent())?.length ?? 0);
    expect(lengths.size).toBeGreaterThan(3);
    expect(await body(page).textContent()).toContain('STREAM_COMPLETE');
    const keys = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(keys.filter(({ name }: { name: string }) => name === 'Playground')).toHaveLength(1);
    await page.context().close();
  });

  test('shows refusals as they are, and what is missing before anything is sent', async () => {
    const page = await stage().visit();
    await page.goto('/docs#createChatCompletion');
    await page.getByLabel('API key', { exact: true }).fill('tai_wrong');
    await page.getByLabel('Body', { exact: true }).fill('{');
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toMatch(/INVALID_FORMAT|INVALID_API_KEY/);
    await page.goto('/docs#cancelRequest');
    await shows(page, 'requestId is required.');
    await page.context().close();
  });

  test('takes the session for what only a signed-in person may do, and leads others to the sign-in page and back', async () => {
    const { service, visit } = stage();
    const guest = await visit();
    await guest.goto('/docs#listKeys');
    expect(await guest.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    const link = guest.getByRole('main').getByRole('link', { name: 'sign in', exact: true });
    expect(await link.getAttribute('href')).toBe('/login?return=%2Fdocs%23listKeys');
    await guest.context().close();
    const page = await visit(await service.person());
    await page.goto('/docs#listKeys');
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toContain('"lastFour"');
    await page.context().close();
  });

  test('is filtered, and goes from operation to operation', async () => {
    const page = await stage().visit();
    await page.goto('/docs');
    await page.getByLabel('Filter operations').fill('embeddings');
    const list = page.getByRole('navigation', { name: 'Operations' });
    await eventually(() => list.getByRole('link').count()).toBe(2);
    await list.getByRole('link', { name: 'Create embeddings', exact: true }).click();
    await page.getByRole('heading', { name: 'Create embeddings', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('#createEmbeddings');
    await page.goBack();
    await page.getByRole('heading', { name: 'API reference', level: 1 }).waitFor();
    await page.context().close();
  });
}
