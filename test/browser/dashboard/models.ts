import { expect, test } from 'vitest';
import { eventually, member, shows } from '../stage.ts';

export function modelTests(): void {
  test('lists models with prices and plans, searches and sorts them, and calculates the cost of calls', async () => {
    const { page } = await member('/models');
    const table = page.getByRole('table', { name: 'Models' });
    const names = () => table.locator('tbody td:first-child').allTextContents();
    await eventually(names).toEqual([
      'svc-1',
      'svc-1-32k',
      'svc-instruct',
      'svc-code',
      'svc-embed',
      'svc-speech',
      'svc-transcribe',
    ]);
    const row = (name: string) => table.getByRole('row', { name: new RegExp(`^${name} `) }).textContent();
    expect(await row('svc-1-32k')).toContain('Pro Pass or above');
    expect(await row('svc-1')).toContain('1 credit per chat completion1 credit per 1,000 tokensAll plans');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Context window');
    await eventually(async () => (await names())[0]).toBe('svc-1-32k');
    await page.getByRole('searchbox', { name: 'Search' }).fill('embed');
    await eventually(names).toEqual(['svc-embed']);
    expect(new URL(page.url()).search).toBe('?sort=window&search=embed');

    await shows(page, '1,000 requests of 2,000 input and 500 output tokens cost 1,000 credits.');
    await page.getByRole('combobox', { name: 'Model' }).selectOption('svc-1: completion');
    await shows(page, '1,000 requests of 2,000 input and 500 output tokens cost 2,500 credits.');
    await page.getByRole('textbox', { name: 'Requests' }).fill('1');
    await page.getByRole('textbox', { name: 'Output tokens' }).fill('1');
    await shows(page, '1 request of 2,000 input and 1 output tokens costs 2.001 credits.');
    await page.getByRole('textbox', { name: 'Output tokens' }).fill('some');
    await shows(page, 'Enter whole numbers to see the cost.');
  });
}
