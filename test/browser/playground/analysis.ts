import { expect, test } from 'vitest';
import { changeTheme, looksWell } from '../pages/findings.ts';
import { changeData, member, press, shows } from '../stage.ts';

/** Color of a check mark on the accent color, by theme. */
const ticks = { light: 'rgb(255, 255, 255)', dark: 'rgb(12, 36, 25)' };
const colorOf = (icon: any): string => icon.ownerDocument.defaultView.getComputedStyle(icon).color;

export function analysisTests(): void {
  test('marks entities in place, strikes personal data through, and shows only scores from the model', async () => {
    const { page } = await member('/playground?tab=analyze');
    const text = '👍 The Aurora 5 broke in Oslo. Write to ada@example.com, Ada Lovelace or +44 20 7946 0958.';
    await page.getByLabel('Text', { exact: true }).fill(text);
    await page.getByLabel('Key phrases').check();
    await page.getByRole('checkbox', { name: 'Language', exact: true }).check();
    await changeData(page, '**/api/ai/analyze', (data) => ({ ...data, unlocated: 2 }));
    await press(page, 'Analyze');
    const marked = page.getByRole('region', { name: 'Marked text' });
    await marked.waitFor();
    expect(await page.getByText('5 credits', { exact: true }).count()).toBe(1);
    const inner = (tag: string) => marked.locator(tag).allTextContents();
    expect(await inner('mark')).toEqual(['Aurora 5PRODUCT', 'OsloLOCATION', 'Ada LovelacePERSON']);
    expect(await inner('del')).toEqual(['ada@example.comEMAIL', 'Ada LovelacePERSON', '+44 20 7946 0958PHONE']);
    expect(await page.getByRole('status').filter({ has: marked }).count()).toBe(1);
    await shows(page, '2 results could not be located in the text');
    const redacted = page.getByRole('region', { name: 'Redacted text' });
    expect(await redacted.textContent()).toContain('Oslo. Write to [EMAIL], [PERSON] or [PHONE].');
    const facts = page.locator('dl', { hasText: 'Sentiment' }).last();
    expect(await facts.textContent()).toMatch(/^SentimentnegativeLanguageEnglishCategoriesquality/);
    for (const theme of ['dark', 'light'] as const) {
      await changeTheme(page, theme);
      const tick = page.getByRole('checkbox', { name: 'Sentiment' }).locator('xpath=following-sibling::*');
      expect(await tick.first().evaluate(colorOf)).toBe(ticks[theme]);
    }
    await looksWell(page, 'playground-analysis');
  });

  test('sends only requests that the API accepts', async () => {
    const { page } = await member('/playground?tab=analyze');
    const button = page.getByRole('button', { name: 'Analyze', exact: true });
    const labels = page.getByLabel('Category labels (comma-separated)');
    await labels.fill('price, price');
    await shows(page, 'Enter 2 to 20 different labels');
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('Categories', { exact: true }).uncheck();
    expect([await labels.count(), await button.isEnabled()]).toEqual([0, true]);
    for (const name of ['Sentiment', 'Entities', 'Personal data'])
      await page.getByLabel(name, { exact: true }).uncheck();
    await shows(page, 'Select at least one analysis');
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('Sentiment', { exact: true }).check();
    await page.getByLabel('Text', { exact: true }).fill('😀'.repeat(5001));
    await shows(page, 'Enter at most 5,000 characters');
    await page.getByLabel('Text', { exact: true }).fill('😀'.repeat(5000));
    await button.click();
    await shows(page, 'neutral');
  });
}
