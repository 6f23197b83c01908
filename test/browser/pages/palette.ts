import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from '#test/service/service.ts';
import {
  newOperator,
  ask,
  eventually,
  heading,
  member,
  open,
  phone,
  press,
  requestsOf,
  service,
  shows,
  visit,
} from '../stage.ts';
import { expectReadable, findings, settled } from './findings.ts';

const input = (page: Page) => page.getByRole('combobox', { name: 'Search', exact: true });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const focused = (page: Page) => page.evaluate('document.activeElement.outerHTML');

/** The label of the option that the field's aria-activedescendant names, if that option is selected. */
async function active(page: Page): Promise<string | null> {
  const id = await input(page).getAttribute('aria-activedescendant');
  const option = dialog(page).getByRole('option', { selected: true });
  expect(await option.getAttribute('id')).toBe(id);
  return option.textContent();
}

async function opened(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await input(page).waitFor();
}

export function paletteTests(): void {
  test('loads when its shortcut is first pressed, on any page, and opens a page without a mouse', async () => {
    const page = await visit(await service.person());
    const requests = requestsOf(page);
    const code = () => requests.filter((url) => /\/assets\/palette-[^/]*\.js$/.test(url));
    await page.goto('/playground');
    await page.waitForLoadState('networkidle');
    expect(code()).toEqual([]);
    await page.getByLabel('Your message').focus();
    await opened(page);
    expect(code()).toHaveLength(1);
    await input(page).fill('ledg');
    expect(await active(page)).toBe('Usage');
    await page.keyboard.press('Enter');
    await heading(page, 'Usage');
    await eventually(() => focused(page)).toMatch(/^<h1.*Usage/);
    expect(await dialog(page).count()).toBe(0);
  });

  test('is a combobox with a list: arrows wrap around, the selection is announced, Escape goes back', async () => {
    const { page } = await member('/settings');
    await page.getByLabel('Name').focus();
    await opened(page);
    expect(await active(page)).toBe('Create API key');
    await page.keyboard.press('ArrowDown');
    expect(await active(page)).toBe('New chat');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await active(page)).toBe('API reference');
    await page.keyboard.press('ArrowDown');
    expect(await active(page)).toBe('Create API key');
    expect(await input(page).getAttribute('aria-controls')).toBe(await page.getByRole('listbox').getAttribute('id'));
    await expectReadable(page, 'palette');
    await page.setViewportSize(phone.viewport);
    await input(page).fill('<b>nothing</b>');
    await shows(page, 'No results for “<b>nothing</b>”.');
    expect(await input(page).getAttribute('aria-expanded')).toBe('false');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await eventually(() => dialog(page).count()).toBe(0);
    await eventually(() => page.evaluate('document.activeElement.dataset.path')).toBe('name');
  });

  test('creates a key, starts a chat, switches the theme and signs out', async () => {
    const { page } = await member('/keys', {}, { colorScheme: 'light' });
    const act = async (text: string) => {
      await opened(page);
      await input(page).fill(text);
      await page.keyboard.press('Enter');
    };
    await heading(page, 'API keys');
    await act('create');
    await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await dialog(page).count()).toBe(0);
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);

    await page.goto('/playground');
    await ask(page, 'Hello');
    await act('new chat');
    await eventually(() => page.getByText('finish_reason: stop').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('');

    await act('dark');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await act('sign');
    await heading(page, 'Sign in');
  });

  test('opens from the navigation, including the phone menu', async () => {
    const { page } = await member('/', {}, phone);
    await press(page, 'Menu');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Search/ })
      .click();
    await input(page).fill('plan');
    await page.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Plans' }).click();
    await heading(page, 'Plans');
  });

  test('finds guides, operations, keys and agents, and opens each of them', async () => {
    const person = await service.person();
    const created = async (path: string, body: object) =>
      String((await service.call('POST', path, { cookie: person.cookie, body })).body.data.id);
    const keyId = await created('/api/keys', { name: 'Nightly batch' });
    const agentId = await created('/api/agents', { name: 'Harbour desk', model: 'svc-1' });
    const page = await open('/', person);
    const choose = async (text: string, group: string, name: RegExp) => {
      await opened(page);
      await input(page).fill(text);
      const results = dialog(page).getByRole('group', { name: group });
      await results.getByRole('option', { name }).click();
      await eventually(() => dialog(page).count()).toBe(0);
    };
    await settled(page);

    await choose('webhook', 'Guides', /^Webhooks$/);
    await page.waitForURL('**/guides/webhooks');
    await heading(page, 'Webhooks');

    await choose('chat/completions', 'API reference', /^Create a chat completion POST/);
    await page.waitForURL('**/docs#createChatCompletion');
    await heading(page, 'Create a chat completion');
    // Only the hash of the URL changes.
    await choose('list keys', 'API reference', /^List the API keys/);
    await page.waitForURL('**/docs#listKeys');

    await choose('nightly', 'API keys', /^Nightly batch/);
    await page.waitForURL(`**/keys?show=all&key=${keyId}`);
    const marked = page.getByRole('table', { name: 'API keys' }).locator('[aria-current]');
    await eventually(() => marked.allTextContents()).toEqual([expect.stringMatching(/^Nightly batch/)]);
    expect(await findings(page)).toEqual([]);

    await opened(page);
    await input(page).fill('harbour');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents?agent=${agentId}`);
    await heading(page, 'Harbour desk');
  });

  test('lists the operations of operators to operators only', async () => {
    const operations = async (whose: Person) => {
      const page = await open('/', whose);
      await settled(page);
      await opened(page);
      const options = dialog(page).getByRole('group', { name: 'API reference' }).getByRole('option');
      // The operations are loaded when the palette opens.
      await input(page).fill('list keys');
      await options.first().waitFor();
      await input(page).fill('operator suspend');
      return options.allTextContents();
    };
    expect(await operations(await service.person())).toEqual([]);
    const listed = await operations(await newOperator());
    expect(listed).toContainEqual(expect.stringContaining('POST /api/operator/accounts/{id}/suspend'));
    expect(listed.filter((text) => !text.includes('/api/operator/'))).toEqual([]);
  });
}
