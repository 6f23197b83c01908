import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  become,
  eventually,
  heading,
  lengthsOf,
  member,
  open,
  press,
  requestsOf,
  service,
  shows,
  signOut,
  storedIn,
  visit,
} from '../stage.ts';

const body = (page: Page) => page.getByRole('region', { name: 'response body' });
const sample = (page: Page) => page.getByRole('region', { name: 'cURL example' });

const keyField = (page: Page) => page.getByLabel('API key', { exact: true });

export function referenceTests(): void {
  test('opens an operation by its link and sends a key to its own origin only, stored in this tab', async () => {
    const { key } = await service.person({ planRank: 2 });
    const page = await visit(undefined, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const requests = requestsOf(page);
    await page.goto('/docs#/Inference/listModels');
    await heading(page, 'List the models');
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);

    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await keyField(page).fill(key);
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toContain('"id": "svc-1"');
    expect(await sample(page).textContent()).toContain(`${service.origin}/v1/models`);
    expect(await page.locator('main').textContent()).not.toContain(key);

    await page.reload();
    await eventually(() => keyField(page).inputValue()).toBe(key);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(key);
    const other = await page.context().newPage();
    await other.goto('/docs#listModels');
    await heading(other, 'List the models');
    expect(await keyField(other).inputValue()).toBe('');
    const isForeign = (url: string) => !url.startsWith(`${service.origin}/`) && !url.startsWith('data:');
    expect(requests.filter(isForeign)).toEqual([]);
  });

  test('keeps a key that was entered before the session was known', async () => {
    const { cookie, key } = await service.person();
    for (const person of [undefined, { cookie }]) {
      const page = await visit(person);
      const known = Promise.withResolvers<void>();
      await page.route('**/auth/me', async (route) => {
        await known.promise;
        await route.fallback();
      });
      await page.goto('/docs#listModels');
      await keyField(page).fill(key);
      expect(await storedIn(page)).not.toContain(key);
      known.resolve();
      await eventually(() => storedIn(page)).toContain(key);
    }
  });

  test('forgets the key of a guest at sign-in, and of a user at sign-out', async () => {
    const person = await service.person();
    const page = await open('/docs#listModels');
    await keyField(page).fill('tai_of_a_guest');
    await eventually(() => storedIn(page)).toContain('tai_of_a_guest');
    await become(page, person);
    await page.reload();
    await eventually(() => storedIn(page)).not.toContain('tai_of_a_guest');

    await keyField(page).fill(person.key);
    await eventually(() => storedIn(page)).toContain(person.key);
    await signOut(page);
    expect(await storedIn(page)).not.toContain(person.key);
  });

  test('shows a stream as it arrives, with a newly created key', async () => {
    const { page, person } = await member('/docs#createChatCompletion');
    await page.getByText('Temporary key', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Example' }).selectOption('A stream');
    expect(await sample(page).textContent()).toContain('"stream": true');
    const lengths = await lengthsOf(page, '[aria-label="response body"]');
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toContain('STREAM_COMPLETE');
    expect(await lengths()).toBeGreaterThan(3);
    const keys = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(keys.filter(({ name }: { name: string }) => name === 'Playground')).toHaveLength(1);
  });

  test('shows refusals unchanged, and missing input before anything is sent', async () => {
    const page = await open('/docs#createChatCompletion');
    await keyField(page).fill('tai_wrong');
    await page.getByLabel('Body', { exact: true }).fill('{');
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toMatch(/INVALID_FORMAT|INVALID_API_KEY/);
    await page.goto('/docs#cancelRequest');
    await shows(page, 'requestId is required.');
  });

  test('uses the session for session-only operations, and leads guests to the sign-in page and back', async () => {
    const guest = await open('/docs#listKeys');
    expect(await guest.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    const link = guest.getByRole('main').getByRole('link', { name: 'sign in', exact: true });
    expect(await link.getAttribute('href')).toBe('/login?return=%2Fdocs%23listKeys');
    const { page } = await member('/docs#listKeys');
    await press(page, 'Send');
    await eventually(() => body(page).textContent()).toContain('"lastFour"');
  });

  test('can be filtered, and links operations to each other', async () => {
    const page = await open('/docs');
    await page.getByLabel('Filter operations').fill('embeddings');
    const list = page.getByRole('navigation', { name: 'Operations' });
    await eventually(() => list.getByRole('link').count()).toBe(2);
    await list.getByRole('link', { name: 'Create embeddings', exact: true }).click();
    await heading(page, 'Create embeddings');
    expect(new URL(page.url()).hash).toBe('#createEmbeddings');
    await page.goBack();
    await heading(page, 'API reference');
  });
}
