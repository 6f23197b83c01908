import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectReadable, isTooWide } from '../pages/findings.ts';
import { eventually, heading, member, open, phone, service, shoot, shows, signOut, storedIn } from '../stage.ts';

/** Selects the person's key for the examples. Returns the field to enter it. */
async function chooseKey(page: Page, key: string) {
  await page.getByRole('combobox', { name: 'Key in the examples' }).selectOption({ index: 1 });
  return page.getByPlaceholder(key.slice(0, 8));
}

export function guideTests(): void {
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
    await shoot(page, 'guides-key-phone');
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
}
