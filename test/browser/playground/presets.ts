import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { namedPerson, signIn, signOut, tracesOf } from '../accounts/shared-browser.ts';
import { changeTheme, findings } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Save|Replace)$/ })
    .click();
}

export function presetTests(stage: () => Stage): void {
  test('a preset is saved, loaded in another tab, replaced, deleted, and brought back', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await page.getByLabel('System message').fill('Be brief about rivers');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('40');
    await press(page, 'Presets');
    await shows(page, 'No presets yet.');
    await save(page, '');
    await shows(page, 'Name is required');
    await save(page, 'Brief');
    await page.getByRole('button', { name: 'Load Brief' }).waitFor();

    const other = await page.context().newPage();
    await other.goto('/playground');
    expect(await other.getByLabel('System message').inputValue()).toBe('');
    await press(other, 'Presets');
    await press(other, 'Load Brief');
    expect(await other.getByLabel('System message').inputValue()).toBe('Be brief about rivers');
    expect(await other.getByRole('textbox', { name: 'Maximum tokens' }).inputValue()).toBe('40');
    await other.getByLabel('System message').fill('Be long');
    await press(other, 'Presets');
    await save(other, 'Brief');
    await save(other, 'Long, with a name that leaves no room for anything beside it on a phone');
    const list = other.getByRole('list', { name: 'Presets' }).getByRole('listitem');
    await eventually(() => list.count()).toBe(2);
    expect(await list.first().textContent()).toContain('Be long');

    for (const width of [1280, 390])
      for (const theme of ['light', 'dark'] as const) {
        await other.setViewportSize({ width, height: 900 });
        await changeTheme(other, theme);
        await shoot(other, `playground-presets-${theme}-${width}`);
        expect(await findings(other)).toEqual([]);
        expect(await other.getByRole('dialog').evaluate((one: any) => one.scrollWidth > one.clientWidth + 1)).toBe(
          false,
        );
      }
    await press(other, 'Delete Brief');
    await eventually(() => list.count()).toBe(1);
    await press(other, 'Undo');
    await eventually(() => list.count()).toBe(2);
  });

  test('storage that cannot be read takes nothing but itself', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/playground');
    await press(page, 'Presets');
    await save(page, 'Good');
    await page.getByRole('button', { name: 'Load Good' }).waitFor();
    await page.evaluate(`localStorage.setItem('kept:${person.id}:preset:bad', '{"id":"bad","name":7}')`);
    await page.reload();
    await press(page, 'Presets');
    await page.getByRole('button', { name: 'Load Good' }).waitFor();
    expect(await page.getByRole('list', { name: 'Presets' }).getByRole('listitem').count()).toBe(1);
  });

  test('presets go with signing out, and another account sees none of them', async () => {
    const { service, visit } = stage();
    const [first, second] = [await namedPerson(service, 'Agatha'), await namedPerson(service, 'Bertram')];
    const page = await visit();
    await page.goto('/login');
    await signIn(page, first);
    await page.goto('/playground');
    await page.getByLabel('System message').fill('Agatha writes letters');
    await press(page, 'Presets');
    await save(page, 'Agatha 1');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await tracesOf(page, 'Agatha')).toContain('localStorage');
    await signOut(page);
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
    await signIn(page, second);
    await page.goto('/playground');
    await press(page, 'Presets');
    await shows(page, 'No presets yet.');
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
  });

  test('presets outlive a session that expired for the same account, and go when another signs in', async () => {
    const { service, visit } = stage();
    const [first, second] = [await namedPerson(service, 'Agatha'), await namedPerson(service, 'Bertram')];
    const page = await visit();
    await page.goto('/login');
    await signIn(page, first);
    await page.goto('/playground');
    await press(page, 'Presets');
    await save(page, 'Agatha 1');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    const expire = async () => {
      await page.context().clearCookies({ name: 'session' });
      await page.goto('/playground');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    };
    await expire();
    await signIn(page, first);
    await page.goto('/playground');
    await press(page, 'Presets');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    await expire();
    await signIn(page, second);
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
  });
}
