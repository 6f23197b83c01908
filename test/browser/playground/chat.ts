import { expect, test } from 'vitest';
import { expectReadable } from '../pages/findings.ts';
import { ask, eventually, log, member, press, say, service, shows } from '../stage.ts';

export function chatTests(): void {
  test('an edit of a message replaces the later ones, and can be undone', async () => {
    const { page, person } = await member('/playground');
    await ask(page, 'Tell me of rivers');
    await ask(page, 'And of hills', 2);
    const before = await log(page).textContent();

    await log(page).getByRole('button', { name: 'Edit message' }).first().click();
    const field = log(page).getByRole('textbox', { name: 'Edit message' });
    expect(await field.inputValue()).toBe('Tell me of rivers');
    await expectReadable(page, 'playground-edit');
    await field.press('Escape');
    expect(await log(page).textContent()).toBe(before);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Edit message');

    await page.keyboard.press('Enter');
    await field.fill('Tell me of bridges');
    await field.press('Enter');
    await eventually(() => log(page).textContent()).toMatch(/^YouTell me of bridgesAssistantfinish_reason: stop/);
    expect(await log(page).textContent()).not.toContain('hills');
    await shows(page, 'Message edited. Later messages were replaced.');
    await press(page, 'Undo');
    expect(await log(page).textContent()).toBe(before);
    await service.settled();
    expect((await service.call('GET', '/api/credits', person)).body.data.balance).toBe(97);
  });

  test('an undo during a response stops it, and restores the previous messages', async () => {
    const { page } = await member('/playground');
    await ask(page, 'Tell me of rivers');
    const before = await log(page).textContent();
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('1500');
    await log(page).getByRole('button', { name: 'Edit message' }).click();
    await log(page).getByRole('textbox', { name: 'Edit message' }).fill('Tell me a long story of rivers');
    await log(page).getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await press(page, 'Undo');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await log(page).textContent()).toBe(before);
    await page.waitForLoadState('networkidle');
    expect(await log(page).textContent()).toBe(before);
  });

  test('a message is copied as written, and deleted with an undo', async () => {
    const { page } = await member('/playground');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ask(page, 'Tell me of\n  *rivers*');
    await page.getByRole('button', { name: 'Copy message' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Tell me of\n  *rivers*');
    await log(page).getByRole('button', { name: 'Delete message' }).last().click();
    expect(await log(page).textContent()).toBe('YouTell me of\n  *rivers*');
    await press(page, 'Undo');
    expect(await log(page).textContent()).toContain('finish_reason: stop');
    await press(page, 'New chat');
    await shows(page, 'No messages yet');
    await press(page, 'Undo');
    expect(await log(page).textContent()).toContain('finish_reason: stop');
  });

  test('a function call and its result are completed, deleted together, and edited', async () => {
    const { page } = await member('/playground');
    await press(page, 'Insert example');
    await say(page, 'What is the weather in Paris?');
    await shows(page, 'find_weather');
    await page.getByLabel('Function result').fill('{"sky": "clear"}');
    await press(page, 'Submit result');
    await eventually(() => log(page).textContent()).toMatch(/Function result\{"sky": "clear"\}Assistant.*sky is clear/);
    await log(page).getByRole('button', { name: 'Delete message' }).nth(1).click();
    expect(await log(page).textContent()).not.toMatch(/Calls find_weather|Function result/);
    await press(page, 'Undo');
    const sent = page.waitForRequest('**/v1/chat/completions');
    await log(page).getByRole('button', { name: 'Edit message' }).last().click();
    await log(page).getByRole('textbox', { name: 'Edit message' }).fill('{"sky": "grey"}');
    await log(page).getByRole('button', { name: 'Send' }).click();
    expect((await sent).postDataJSON().messages.at(-1)).toEqual({
      role: 'function',
      name: 'find_weather',
      content: '{"sky": "grey"}',
    });
    await eventually(() => log(page).textContent()).toContain('sky is grey');
  });

  test('parameters survive a reload, and tokens are counted while the user types', async () => {
    const { page } = await member('/playground');
    await shows(page, 'About 3 of 4,096 tokens');
    await page.getByLabel('Your message').fill('Tell me of rivers');
    await shows(page, 'About 11 of 4,096 tokens');
    await page.getByLabel('Your message').fill('rivers '.repeat(5000));
    await shows(page, /longer than the context window$/);
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('77');
    await page.reload();
    await eventually(() => page.getByRole('textbox', { name: 'Maximum tokens' }).inputValue()).toBe('77');
  });
}
