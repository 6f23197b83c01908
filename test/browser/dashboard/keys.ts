import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { changeData, eventually, member, press, say, service, shows, visit } from '../stage.ts';

/** Badges with truncated text. */
const cutBadges = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.mantine-Badge-root')]
    .filter((badge) => [badge, ...badge.children].some((part) => part.scrollWidth > part.clientWidth)
      || badge.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map((badge) => badge.textContent)`);

export function keyTests(): void {
  test('a key is created, renamed, suspended, resumed, rotated with grace and revoked, each with effect on its next call', async () => {
    const { page, person } = await member('/keys');
    const statusWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
    const menu = async (name: string, item: string) => {
      await press(page, `Actions for ${name}`);
      await page.getByRole('menuitem', { name: item }).click();
    };

    await press(page, 'Create API key');
    await press(page, /^Create$/);
    await shows(page, 'Name is required');
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('combobox', { name: 'Expires' }).selectOption('In 90 days');
    await press(page, /^Create$/);
    const first = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    expect(await statusWith(first)).toBe(200);

    await menu('shop', 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('web shop');
    await press(page, 'Rename');
    await menu('web shop', 'Suspend');
    await shows(page, 'Suspended');
    await eventually(() => statusWith(first)).toBe(401);
    await menu('web shop', 'Resume');
    await eventually(() => statusWith(first)).toBe(200);

    await menu('web shop', 'Rotate');
    await press(page, 'Rotate');
    const second = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

    await page.getByRole('button', { name: 'Actions for web shop' }).nth(1).waitFor();
    await menu('test', 'Revoke');
    await press(page, 'Revoke key');
    await shows(page, '“test” is revoked.');
    expect(await statusWith(person.key)).toBe(401);
    await page.getByRole('switch', { name: 'Show revoked and expired' }).click();
    await shows(page, 'Revoked');
  });

  test('an unreadable row is marked, can be revoked, and does not affect the others', async () => {
    const page = await visit(await service.person());
    const odd = [
      { id: 'odd-4', name: 'a-long-name-without-any-space'.repeat(3), status: 'unreadable' },
      { id: 'odd-1', name: 'broken', status: 'unreadable', createdAt: null, expiresAt: null },
      {
        id: 'odd-2',
        name: 'tomorrow',
        status: 'active',
        createdAt: 'tomorrow',
        expiresAt: '+292278994',
        lastUsedAt: 7,
      },
      { id: 'odd-3', name: null, prefix: null, status: 'frozen', createdAt: '2026-02-30T99:99Z', expiresAt: 'never' },
    ];
    const revoked: string[] = [];
    await changeData(page, '**/api/keys', (data) => (Array.isArray(data) ? [...data, ...odd] : data));
    await page.route('**/api/keys/odd-1', (route) => {
      revoked.push(route.request().method());
      return route.fulfill({ json: { error: false, message: 'SUCCESS', data: odd[0], status: 200 } });
    });
    await page.goto('/keys');
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    expect(await row('broken').textContent()).toMatch(/^brokenUnreadable––––$/);
    expect(await row('tomorrow').textContent()).toContain('Active');
    expect(await row('Unnamed key').textContent()).toContain('Frozen');
    expect(await row('test').textContent()).toContain('Active');
    await press(page, 'Actions for broken');
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Revoke']);
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    expect(await page.getByRole('dialog').textContent()).not.toContain('rotate it');
    await press(page, 'Revoke key');
    await shows(page, '“broken” is revoked.');
    expect(revoked).toEqual(['DELETE']);
    await press(page, 'Actions for Unnamed key');
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await press(page, 'Revoke key');
    await shows(page, '“Unnamed key” no longer exists.');
    for (const width of [1360, 920, 800, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await cutBadges(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    await changeData(page, '**/api/credits?*', (data) => ({
      ...data,
      entries: data.entries.map((entry: object) => ({ ...entry, type: 'adjustment' })),
    }));
    await page.goto('/usage');
    await shows(page, 'Plan change');
    expect(await cutBadges(page)).toEqual([]);
    await page.setViewportSize({ width: 1360, height: 900 });
    for (const path of ['/', '/usage', '/playground']) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
    }
    await say(page, 'Hello');
    await page.getByRole('button', { name: 'New chat' }).waitFor();
  });
}
