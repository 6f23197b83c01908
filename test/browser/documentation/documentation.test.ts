import type { Page } from 'playwright-core';
import { expect, test, describe } from 'vitest';
import { expectReadable, isTooWide } from '../pages/findings.ts';
import {
  become,
  eventually,
  heading,
  lengthsOf,
  member,
  open,
  phone,
  press,
  requestsOf,
  service,
  shows,
  signOut,
  storedIn,
  visit,
  useStage,
} from '../stage.ts';

useStage();

/** Selects the person's key for the examples. Returns the field to enter it. */
async function chooseKey(page: Page, key: string) {
  await page.getByRole('combobox', { name: 'Key in the examples' }).selectOption({ index: 1 });
  return page.getByPlaceholder(key.slice(0, 8));
}

describe('the guides', () => {
  test("are public, with the service's address in their examples", async () => {
    const page = await open('/guides');
    await page.getByRole('main').getByRole('link', { name: 'Quick start' }).last().click();
    await heading(page, 'Quick start');
    const code = page.getByRole('region', { name: 'shell example' }).nth(1);
    expect(await code.textContent()).toContain(`curl -s ${service.origin}/v1/chat/completions`);
    expect(await code.textContent()).toContain('Bearer $API_KEY');
    await page.getByRole('main').getByRole('link', { name: 'create an account' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Key in the examples' }).count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').count()).toBe(2);
  });

  test("contain the user's own key after it is selected and entered, in this tab only, until sign-out", async () => {
    const { page, person } = await member('/guides/quick-start');
    const main = page.locator('main');
    const field = await chooseKey(page, person.key);
    await field.fill(`${person.key.slice(0, -4)}zzzz`);
    await shows(page, /^This is a different key/);
    expect(await main.textContent()).toContain('Bearer $API_KEY');
    await expectReadable(page, 'guides-key');
    await page.setViewportSize(phone.viewport);
    await field.fill(person.key);
    await shows(page, /^The examples contain your key/);
    expect(await isTooWide(page)).toBe(false);
    await page.setViewportSize({ width: 1360, height: 900 });
    const examples = (await main.locator('pre').allTextContents()).join('\n');
    expect(examples).toContain(person.key);
    expect(examples).not.toMatch(/\$API_KEY|process\.env|os\.environ/);

    await page.reload();
    await eventually(() => main.textContent()).toContain(`Bearer ${person.key}`);
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Streams' }).click();
    await heading(page, 'Streams');
    await eventually(() => main.textContent()).toContain(`Bearer ${person.key}`);
    expect(page.url()).not.toContain(person.key);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(person.key);
    const other = await page.context().newPage();
    await other.goto('/guides/streams');
    await other.getByRole('combobox', { name: 'Key in the examples' }).waitFor();
    expect(await other.content()).not.toContain(person.key);
    await other.close();
    await signOut(page);
    expect(await storedIn(page)).not.toContain(person.key);
  });

  test('forget the key if the variable is selected again, and offer only active keys', async () => {
    const { page, person } = await member('/guides/chat');
    const enterKey = async () => {
      await (await chooseKey(page, person.key)).fill(person.key);
      await eventually(() => page.locator('main').textContent()).toContain(person.key);
    };
    await enterKey();
    await page.getByRole('combobox', { name: 'Key in the examples' }).selectOption({ index: 0 });
    await eventually(() => page.locator('main').textContent()).toContain('const { API_KEY } = process.env;');
    expect(await storedIn(page)).not.toContain(person.key);
    await enterKey();
    await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    await page.reload();
    await page.getByRole('link', { name: 'Create an API key' }).waitFor();
    expect(await page.content()).not.toContain(person.key);
  });

  test('are searchable, open at the matched section, and have a link at each heading', async () => {
    const page = await open('/guides');
    await page.getByRole('searchbox').fill('stop stream');
    await page.getByRole('search').getByRole('link').first().click();
    await heading(page, 'Streams');
    expect(new URL(page.url()).hash).toBe('#stop-a-stream');
    const top = async (name: RegExp) =>
      (await page.getByRole('heading', { name }).boundingBox())?.y ?? Number.POSITIVE_INFINITY;
    await eventually(() => top(/^Stop a stream/)).toBeLessThan(800);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('zebra');
    await shows(page, 'No results.');
    await page.goto('/guides/errors#headers');
    await eventually(() => top(/^Headers/)).toBeLessThan(300);
    const retry = page.getByRole('heading', { name: /^Retry/ });
    await retry.getByRole('link').click();
    expect(new URL(page.url()).hash).toBe('#retry');
  });
});

const body = (page: Page) => page.getByRole('region', { name: 'response body' });
const sample = (page: Page) => page.getByRole('region', { name: 'cURL example' });

const keyField = (page: Page) => page.getByLabel('API key', { exact: true });

describe('the API reference', () => {
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
});
