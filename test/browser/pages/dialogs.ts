import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, member, press, shows } from '../stage.ts';
import { changeTheme, expectReadable } from './findings.ts';

const focused = (page: Page) =>
  page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

export function dialogTests(): void {
  test('a past expiry entered by hand is refused at its field', async () => {
    const { page } = await member('/keys?new');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('late');
    await dialog.getByRole('combobox', { name: 'Expires' }).selectOption('Custom date');
    await dialog.getByLabel('Expiry date (UTC)').fill('2001-01-01');
    await press(page, /^Create$/);
    await shows(page, /^Expiry date must be/);
    expect(await page.evaluate('document.activeElement.type')).toBe('date');
    expect(await dialog.getByLabel('Expiry date (UTC)').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Expiry date (UTC)').fill('2999-01-01');
    expect(await dialog.getByText(/^Expiry date must be/).count()).toBe(0);
    await press(page, /^Create$/);
    await page.getByLabel('New API key', { exact: true }).waitFor();
  });

  test('a dialog hides the scroll bar, and returns the focus to its opener, or to the content if that is gone', async () => {
    const { page } = await member('/keys');
    const scrollBar = () => page.evaluate('getComputedStyle(document.body).overflowY');
    await press(page, 'Create API key');
    await page.getByRole('dialog').waitFor();
    // A visible scroll bar would stay bright next to the dimmed page.
    expect(await scrollBar()).toBe('hidden');
    await page.keyboard.press('Escape');
    await eventually(() => focused(page)).toBe('Create API key');
    await eventually(scrollBar).toBe('scroll');
    for (const item of ['Rename', 'Rotate', 'Revoke']) {
      await page.getByRole('button', { name: 'Actions for test' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: item }).press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => focused(page)).toBe('Actions for test');
    }
    await press(page, 'Actions for test');
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await press(page, 'Revoke key');
    await shows(page, '“test” is revoked.');
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('content');
  });

  test('menus contain items only, and their destructive items and dialogs are readable', async () => {
    const { page } = await member('/keys');
    for (const name of [/^Actions for/, /^Account of/]) {
      await press(page, name);
      await page.getByRole('menu').waitFor();
      await expectReadable(page, `menu ${name.source}`);
      const items = page.getByRole('menu').locator(':scope > *');
      const roles = await items.evaluateAll((all) => all.map((one) => one.getAttribute('role')));
      expect(new Set(roles)).toEqual(new Set(roles.includes('separator') ? ['menuitem', 'separator'] : ['menuitem']));
      await page.keyboard.press('Escape');
    }
    await press(page, /^Actions for/);
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor();
    await expectReadable(page, 'dialog-revoke');
  });

  test('the similarities are readable in both themes', async () => {
    const { page } = await member('/playground?tab=embeddings');
    await page
      .getByLabel('Texts, one per line')
      .fill('river\nriver bank\nthe river bank\na river\nhill and river\nmountain');
    await press(page, 'Compare');
    await page.getByRole('region', { name: 'Similarity matrix' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await changeTheme(page, colorScheme);
      expect(await lowestContrast(page)).toBeGreaterThanOrEqual(4.5);
    }
  });
}

/** The lowest contrast between a similarity's number and its background, as painted (WCAG 2.2, "contrast ratio"). */
function lowestContrast(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    const luminance = (color) => {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const cells = [...document.querySelectorAll('[aria-label="Similarity matrix"] tbody td')];
    return Math.min(...cells.map((cell) => {
      const { color, backgroundColor } = getComputedStyle(cell);
      const [low, high] = [luminance(color), luminance(backgroundColor)].toSorted((one, other) => one - other);
      return (high + 0.05) / (low + 0.05);
    }));
  })()`);
}
