import { expect, test } from 'vitest';
import { eventually, press, type Stage, says } from './stage.ts';

export function keyTests(stage: () => Stage): void {
  test('a key is made, renamed, suspended, resumed, rotated with grace and revoked, each felt by its next call', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(person);
    const statusWith = async (key: string) => (await service.call('GET', '/v1/models', { key })).status;
    const menu = async (name: string, item: string) => {
      await press(page, `Actions for ${name}`);
      await page.getByRole('menuitem', { name: item }).click();
    };

    await page.goto('/keys');
    await press(page, 'New key');
    await press(page, 'Create key');
    await says(page, 'The name must not be empty.');
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'In 90 days' }).click();
    await press(page, 'Create key');
    const first = (await page.getByLabel('Your new key', { exact: true }).textContent())!;
    await press(page, 'I have stored it');
    expect(await statusWith(first)).toBe(200);

    await menu('shop', 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('web shop');
    await press(page, 'Rename');
    await menu('web shop', 'Suspend');
    await says(page, 'Suspended');
    await eventually(() => statusWith(first)).toBe(401);
    await menu('web shop', 'Resume');
    await eventually(() => statusWith(first)).toBe(200);

    await menu('web shop', 'Rotate');
    await press(page, 'Make the new key');
    const second = (await page.getByLabel('Your new key', { exact: true }).textContent())!;
    await press(page, 'I have stored it');
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

    await page.getByRole('button', { name: 'Actions for web shop' }).nth(1).waitFor();
    await menu('test', 'Revoke');
    await press(page, 'Revoke the key');
    await says(page, '“test” is revoked.');
    expect(await statusWith(person.key)).toBe(401);
    await page.getByRole('switch', { name: 'Show ended keys' }).click();
    await says(page, 'Revoked');
  });
}
