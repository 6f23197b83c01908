import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter, namedPerson, tracesOf } from '../accounts/shared-browser.ts';
import { expectReadable } from '../pages/findings.ts';
import { eventually, heading, member, open, press, shows, signOut } from '../stage.ts';

async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Save|Replace)$/ })
    .click();
}

export function presetTests(): void {
  test('a preset is saved, loaded in another tab, replaced, deleted and restored, even next to an unreadable one', async () => {
    const { page, person } = await member('/playground');
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

    await expectReadable(other, 'playground-presets');
    await other.setViewportSize({ width: 390, height: 900 });
    const dialog = other.getByRole('dialog');
    expect(await dialog.evaluate((one: any) => one.scrollWidth > one.clientWidth + 1)).toBe(false);
    await press(other, 'Delete Brief');
    await eventually(() => list.count()).toBe(1);
    await press(other, 'Undo');
    await eventually(() => list.count()).toBe(2);
    await other.evaluate(`localStorage.setItem('kept:${person.id}:preset:bad', '{"id":"bad","name":7}')`);
    await other.reload();
    await press(other, 'Presets');
    await other.getByRole('button', { name: 'Load Brief' }).waitFor();
    expect(await list.count()).toBe(2);
  });

  test('presets are deleted at sign-out, and another account sees none of them', async () => {
    const [first, second] = [await namedPerson('Agatha'), await namedPerson('Bertram')];
    const page = await open('/login');
    await enter(page, first);
    await page.goto('/playground');
    await page.getByLabel('System message').fill('Agatha writes letters');
    await press(page, 'Presets');
    await save(page, 'Agatha 1');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await tracesOf(page, 'Agatha')).toContain('localStorage');
    await signOut(page);
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
    await enter(page, second);
    await page.goto('/playground');
    await press(page, 'Presets');
    await shows(page, 'No presets yet.');
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
  });

  test('presets survive an expired session of the same account, and are deleted when another signs in', async () => {
    const [first, second] = [await namedPerson('Agatha'), await namedPerson('Bertram')];
    const page = await open('/login');
    await enter(page, first);
    await page.goto('/playground');
    await press(page, 'Presets');
    await save(page, 'Agatha 1');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    const expire = async () => {
      await page.context().clearCookies({ name: 'session' });
      await page.goto('/playground');
      await heading(page, 'Sign in');
    };
    await expire();
    await enter(page, first);
    await page.goto('/playground');
    await press(page, 'Presets');
    await page.getByRole('button', { name: 'Load Agatha 1' }).waitFor();
    await expire();
    await enter(page, second);
    expect(await tracesOf(page, 'Agatha')).toEqual([]);
  });
}
