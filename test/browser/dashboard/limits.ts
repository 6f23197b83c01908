import { expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { eventually, member, phone, pick, press, refuse, say, service, shoot, shows, visit } from '../stage.ts';

/** The limits and alerts of an account. */
export function limitTests(): void {
  test('a key is created with a limit, its bar grows with its calls, and a refused call leads to a higher limit', async () => {
    const { page } = await member('/keys?new', { credits: 100 });
    await page.getByLabel('Name').fill('intern');
    await press(page, 'Limit credits, models or services');
    await pick(page, 'Spending limit', 'Credits per day (UTC)');
    await press(page, /^Create$/);
    await shows(page, 'Credits is required');
    await page.getByLabel('Credits', { exact: true }).fill('0');
    await press(page, /^Create$/);
    await shows(page, 'Credits must be at least 1');
    expect(await page.getByLabel('Credits', { exact: true }).inputValue()).toBe('0');
    await page.getByLabel('Credits', { exact: true }).fill('1');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent()) ?? '';
    await press(page, 'Done');
    await shows(page, '0 of 1 credit per day');

    const chatWith = async () => (await service.call('POST', '/v1/chat/completions', { key, body: chat() })).status;
    expect([await chatWith(), await chatWith()]).toEqual([200, 403]);
    await page.reload();
    await shows(page, '1 of 1 credit per day');
    await press(page, 'Actions for intern');
    await page.getByRole('menuitem', { name: 'Edit limits' }).click();
    await page.getByLabel('Credits', { exact: true }).fill('5');
    await press(page, 'Save');
    await shows(page, '1 of 5 credits per day');
    expect(await chatWith()).toBe(200);

    await service.settled();
    await page.goto('/logs');
    const refused = page.getByRole('table').getByRole('row', { name: /403/ });
    await refused.getByRole('button').click();
    const drawer = page.getByRole('dialog', { name: 'Request' });
    const resets = /it resets on \d{1,2} \w{3} \d{4}, \d\d:\d\d\./;
    await eventually(() => drawer.textContent()).toMatch(resets);
    expect(await drawer.textContent()).not.toMatch(/\d{4}-\d\d-\d\dT/);

    // The playground's own key has no limit.
    const detail =
      "This call needs up to 1 credit, and the key's limit has 0 left; it resets at 2026-12-01T00:00:00.000Z.";
    await refuse(page, '**/v1/chat/completions', { status: 403, message: 'KEY_LIMIT_EXCEEDED', detail });
    await page.goto('/playground');
    await say(page, 'Hello');
    await shows(page, resets);
  });

  test('a balance that runs out today is shown as less than a day', async () => {
    const person = await service.person({ credits: 3 });
    const page = await visit(person);
    for (let calls = 0; calls < 2; calls++)
      expect((await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() })).status).toBe(200);
    await service.settled();
    await page.goto('/');
    await shows(page, /your credits last less than a day\. Average on days/);
  });

  test('an alert is added, saved and still present after a reload', async () => {
    const { page } = await member('/settings');
    await press(page, 'Add alert');
    await page.getByLabel('Value').last().fill('0');
    await press(page, 'Save alerts');
    await shows(page, 'Value must be at least 1');
    expect(await page.getByLabel('Value').last().inputValue()).toBe('0');
    await page.getByLabel('Value').last().fill('500');
    await page.getByText('Value must be at least 1').waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Send to webhooks' }).click();
    await press(page, 'Save alerts');
    await shows(page, 'Alerts saved.');
    await page.reload();
    await eventually(() => page.getByLabel('Value').last().inputValue()).toBe('500');
    expect(await page.getByLabel('Send to webhooks').isChecked()).toBe(true);
  });

  test('a spending cap is set, its bar grows, a refused call leads to it, and it is removed', async () => {
    const { page, person } = await member('/usage', { credits: 100 });
    const chatWith = async () =>
      (await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() })).status;
    await shows(page, /0 credits used this calendar month/);
    await page.getByLabel('Credits per month').fill('0');
    await press(page, 'Set cap');
    await shows(page, 'Credits per month must be at least 1');
    await page.getByLabel('Credits per month').fill('2');
    await press(page, 'Set cap');
    await shows(page, '0 of 2 credits');
    expect(await chatWith()).toBe(200);
    await page.reload();
    await shows(page, '1 of 2 credits');
    await shows(page, /Forecast: about \d+ credits? by the end of the month/);
    await shoot(page, 'usage-cap');
    expect([await chatWith(), await chatWith()]).toEqual([200, 402]);
    await page.reload();
    await shows(page, 'Calls are refused until you raise the cap or the month ends.');
    await shoot(page, 'usage-cap-reached');
    await page.goto('/playground');
    await say(page, 'Hello');
    await shows(page, /spending cap of 2 credits per month has 0 left; it resets on/);
    await page.getByRole('link', { name: 'View the cap' }).click();
    await page.getByLabel('Credits per month').fill('3');
    await press(page, 'Save cap');
    await shows(page, '2 of 3 credits');
    await press(page, 'Remove cap');
    await shows(page, 'Spending cap removed.');
    await shows(page, /2 credits used this calendar month/);
  });

  test.each(['light', 'dark'] as const)('the cap and its alerts fit a phone in %s', async (colorScheme) => {
    const person = await service.person({ credits: 100 });
    const page = await visit(person, { ...phone, colorScheme });
    const body = { monthlyCredits: 5 };
    await service.call('PUT', '/api/limits', { cookie: person.cookie, body });
    for (const path of ['/usage', '/settings']) {
      await page.goto(path);
      await shows(page, path === '/usage' ? '0 of 5 credits' : 'Add alert');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      await shoot(page, `cap-phone-${path.slice(1)}-${colorScheme}`);
    }
  });
}
