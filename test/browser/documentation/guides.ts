import { expect, test } from 'vitest';
import { changeTheme, findings } from '../pages/findings.ts';
import { eventually, type Stage, shows } from '../stage.ts';

export function guideTests(stage: () => Stage): void {
  test('are there without a session, with the address of the service in their examples', async () => {
    const { service, visit } = stage();
    const page = await visit();
    await page.goto('/guides');
    await page.getByRole('main').getByRole('link', { name: 'Quick start' }).last().click();
    await page.getByRole('heading', { name: 'Quick start', level: 1 }).waitFor();
    const code = page.getByRole('region', { name: 'shell example' }).nth(1);
    expect(await code.textContent()).toContain(`curl -s ${service.origin}/v1/chat/completions`);
    expect(await code.textContent()).toContain('Bearer $API_KEY');
    await page.getByRole('main').getByRole('link', { name: 'create an account' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Key in the examples' }).count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').count()).toBe(2);
    await page.context().close();
  });

  test('have one’s own key where it is chosen and entered, in this tab only, until one signs out', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/guides/quick-start');
    const main = page.locator('main');
    const choice = page.getByRole('combobox', { name: 'Key in the examples' });
    await choice.selectOption({ index: 1 });
    const field = page.getByPlaceholder(person.key.slice(0, 8));
    await field.fill(`${person.key.slice(0, -4)}zzzz`);
    await shows(page, /^This is a different key/);
    expect(await main.textContent()).toContain('Bearer $API_KEY');
    await field.fill(person.key);
    await shows(page, /^The examples have your key/);
    const examples = (await main.locator('pre').allTextContents()).join('\n');
    expect(examples).toContain(person.key);
    expect(examples).not.toMatch(/\$API_KEY|process\.env|os\.environ/);

    await page.reload();
    await eventually(() => main.textContent()).toContain(`Bearer ${person.key}`);
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Streams' }).click();
    await page.getByRole('heading', { name: 'Streams', level: 1 }).waitFor();
    await eventually(() => main.textContent()).toContain(`Bearer ${person.key}`);
    expect(page.url()).not.toContain(person.key);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(person.key);
    const other = await page.context().newPage();
    await other.goto('/guides/streams');
    await other.getByRole('combobox', { name: 'Key in the examples' }).waitFor();
    expect(await other.content()).not.toContain(person.key);
    await other.close();

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(person.key);
    await page.context().close();
  });

  test('can be given a key in both themes and on a phone', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/guides/quick-start');
    await page.getByRole('combobox', { name: 'Key in the examples' }).selectOption({ index: 1 });
    const field = page.getByPlaceholder(person.key.slice(0, 8));
    await field.fill('tai_of_somebody_else_entirely');
    await shows(page, /^This is a different key/);
    for (const scheme of ['light', 'dark'] as const) {
      await changeTheme(page, scheme);
      expect(await findings(page)).toEqual([]);
      await shoot(page, `guides-key-${scheme}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await field.fill(person.key);
    await shows(page, /^The examples have your key/);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await shoot(page, 'guides-key-phone');
    await page.context().close();
  });

  test('forget the key where the variable is chosen again, and offer no key that is not active', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/guides/chat');
    const choice = page.getByRole('combobox', { name: 'Key in the examples' });
    await choice.selectOption({ index: 1 });
    await page.getByPlaceholder(person.key.slice(0, 8)).fill(person.key);
    await eventually(() => page.locator('main').textContent()).toContain(person.key);
    await choice.selectOption({ index: 0 });
    await eventually(() => page.locator('main').textContent()).toContain('const { API_KEY } = process.env;');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(person.key);
    await choice.selectOption({ index: 1 });
    await page.getByPlaceholder(person.key.slice(0, 8)).fill(person.key);
    await eventually(() => page.locator('main').textContent()).toContain(person.key);
    const [key] = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    await service.call('DELETE', `/api/keys/${key.id}`, { cookie: person.cookie });
    await page.reload();
    await page.getByRole('link', { name: 'Create an API key' }).waitFor();
    expect(await page.content()).not.toContain(person.key);
    await page.context().close();
  });

  test('are searched, and open at the section that was found', async () => {
    const page = await stage().visit();
    await page.goto('/guides');
    await page.getByRole('searchbox').fill('stop stream');
    await page.getByRole('search').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Streams', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('#stop-a-stream');
    const heading = page.getByRole('heading', { name: /^Stop a stream/ });
    await eventually(async () => (await heading.boundingBox())?.y ?? Infinity).toBeLessThan(800);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('zebra');
    await shows(page, 'No results.');
    await page.context().close();
  });

  test('have a link at each heading, which opens there', async () => {
    const page = await stage().visit();
    await page.goto('/guides/errors#headers');
    const heading = page.getByRole('heading', { name: /^Headers/ });
    await eventually(async () => (await heading.boundingBox())?.y ?? 0).toBeLessThan(300);
    await page
      .getByRole('heading', { name: /^Retry/ })
      .getByRole('link')
      .click();
    expect(new URL(page.url()).hash).toBe('#retry');
    await page.context().close();
  });
}
