import { expect, test } from 'vitest';
import { eventually, press, type Stage, says } from './stage.ts';

export function newcomerTests(stage: () => Stage): void {
  test('gets from registering over the mailed link to a key and a streamed answer, in under two minutes', async () => {
    const { service, visit } = stage();
    const began = performance.now();
    const page = await visit();
    await page.goto('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(page, 'Create account');
    await says(page, 'Check your inbox');
    await service.mailedToken('ada@example.com');
    await page.getByRole('link', { name: "Open this machine's inbox" }).click();
    await page.getByRole('link', { name: 'Open the link of this mail' }).click();
    await says(page, 'Address confirmed');
    expect(page.url()).not.toContain('token');
    await page.getByRole('link', { name: 'Create your first key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await press(page, 'Create key');
    const key = (await page.getByLabel('Your new key', { exact: true }).textContent())!;
    await press(page, 'I have stored it');
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByLabel('Your message').fill('Hello');
    await page.getByLabel('Your message').press('Enter');
    const answer = page.getByRole('log');
    await eventually(() => answer.textContent()).toContain('This is the built-in demo engine');
    await press(page, 'Begin anew');
    expect(performance.now() - began).toBeLessThan(120_000);

    expect((await service.call('GET', '/v1/models', { key })).status).toBe(200);
    await page.goto('/');
    await says(page, `${key.slice(0, 17)}…`);
  });
}
