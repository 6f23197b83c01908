import { expect, test } from 'vitest';
import { eventually, press, type Stage, shows } from '../stage.ts';

export function newcomerTests(stage: () => Stage): void {
  test('gets from registering over the mailed link to a key and a streamed response, in under two minutes', async () => {
    const { service, visit } = stage();
    const began = performance.now();
    const page = await visit();
    await page.goto('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(page, 'Create account');
    await shows(page, 'Check your inbox');
    await service.mailedToken('ada@example.com');
    await page.getByRole('link', { name: 'Open local inbox' }).click();
    await page.getByRole('link', { name: 'Open link' }).click();
    await shows(page, 'Email confirmed');
    expect(page.url()).not.toContain('token');
    await page.getByRole('link', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await press(page, /^Create$/);
    const key = (await page.getByLabel('New API key', { exact: true }).textContent())!;
    await press(page, 'Done');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await shows(page, `${key.slice(0, 17)}…`);
    await page.getByRole('link', { name: 'Playground', exact: true }).click();
    await page.getByLabel('Your message').fill('Hello');
    await page.getByLabel('Your message').press('Enter');
    const log = page.getByRole('log');
    await eventually(() => log.textContent()).toContain('This is the built-in demo engine');
    await press(page, 'New chat');
    expect(performance.now() - began).toBeLessThan(120_000);

    expect((await service.call('GET', '/v1/models', { key })).status).toBe(200);
  });
}
