import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

/** What an account sets to be warned, or stopped, in time. */
export function limitTests(stage: () => Stage): void {
  test('a key is limited when it is made, its bar grows with its calls, and its limit is raised when they are refused', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person({ credits: 100 }));
    await page.goto('/keys?new');
    await page.getByLabel('Name').fill('intern');
    await press(page, 'Limit credits, models or services');
    await page.getByRole('combobox', { name: 'Spending limit' }).click();
    await page.getByRole('option', { name: 'Credits per day (UTC)' }).click();
    await press(page, /^Create$/);
    await shows(page, 'Credits is required');
    await page.getByLabel('Credits', { exact: true }).fill('0');
    await press(page, /^Create$/);
    await shows(page, 'Credits must be at least 1');
    expect(await page.getByLabel('Credits', { exact: true }).inputValue()).toBe('0');
    await page.getByLabel('Credits', { exact: true }).fill('1');
    await shoot(page, 'key-limits');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent()) ?? '';
    await press(page, 'Done');
    await shows(page, '0 of 1 credit per day');

    const chatWith = async () => (await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status;
    expect([await chatWith(), await chatWith()]).toEqual([200, 403]);
    await page.reload();
    await shows(page, '1 of 1 credit per day');
    await shoot(page, 'key-limit-reached');
    await press(page, 'Actions for intern');
    await page.getByRole('menuitem', { name: 'Edit limits' }).click();
    await page.getByLabel('Credits', { exact: true }).fill('5');
    await press(page, 'Save');
    await shows(page, '1 of 5 credits per day');
    expect(await chatWith()).toBe(200);
  });

  test('an alert is added, saved and still there after a reload', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/settings');
    await press(page, 'Add alert');
    await page.getByLabel('Value').last().fill('0');
    await press(page, 'Save alerts');
    await shows(page, 'Value must be at least 1');
    expect(await page.getByLabel('Value').last().inputValue()).toBe('0');
    await page.getByLabel('Value').last().fill('500');
    await page.getByText('Value must be at least 1').waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Send to webhooks' }).click();
    await shoot(page, 'alerts');
    await press(page, 'Save alerts');
    await shows(page, 'Alerts saved.');
    await page.reload();
    await eventually(() => page.getByLabel('Value').last().inputValue()).toBe('500');
    expect(await page.getByLabel('Send to webhooks').isChecked()).toBe(true);
  });
}
