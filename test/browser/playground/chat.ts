import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectReadable, expectFits } from '../pages/findings.ts';
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

const threads = ['svc-1', 'svc-instruct'] as const;
const logOf = (page: Page, model: string) => page.getByRole('log', { name: `Conversation with ${model}` });

const failure = { error: true, message: 'MODEL_ERROR', detail: 'The model failed.', status: 502, data: null };

async function compare(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Compare' }).click();
  await logOf(page, 'svc-instruct').waitFor();
}

export function compareTests(): void {
  test('two models receive the same conversation, stream with their own metrics, and are both charged', async () => {
    const { page, person } = await member('/playground');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('60');
    await page.getByLabel('System message').fill('Be brief');
    await compare(page);
    await shows(page, 'Each message goes to both models, and both responses are charged.');
    const bodies: any[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/chat/completions')) bodies.push(request.postDataJSON());
    });
    await say(page, 'Tell me of rivers');
    for (const model of threads) await eventually(() => logOf(page, model).textContent()).toContain('finish_reason');
    const figures = /Time to first token[\d.]+ m?s.*Total time[\d.]+ m?s.*Tokens \(in \+ out\)\d+ \+ \d+.*Credits1$/;
    for (const place of [0, 1]) expect(await page.locator('dl').nth(place).textContent()).toMatch(figures);
    const [{ model: first, ...one }, { model: second, ...other }] = bodies;
    expect(new Set([first, second])).toEqual(new Set(threads));
    expect(one).toEqual(other);
    await page.getByRole('heading', { name: 'Request details: svc-instruct' }).waitFor();
    const shown = await page.locator('dl').allTextContents();
    await page.reload();
    await eventually(() => page.locator('dl').allTextContents()).toEqual(shown);

    await expectFits(page, 'playground-compare', 1280);
    await expectReadable(page, 'playground-compare');
    await expectFits(page, 'playground-compare', 390);
    await service.settled();
    expect((await service.call('GET', '/api/credits', person)).body.data.balance).toBe(98);
    const keys = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(keys.filter(({ name }: { name: string }) => name === 'Playground')).toHaveLength(1);
  });

  test('a single stop ends both, and each shows its charge', async () => {
    const { page } = await member('/playground');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('1500');
    await compare(page);
    await say(page, 'Tell me a long story of rivers');
    for (const model of threads) await eventually(() => logOf(page, model).textContent()).toMatch(/Assistant.{20}/);
    await press(page, 'Stop');
    await eventually(() => page.getByText('Interrupted. 1 credit charged.').count()).toBe(2);
    for (const model of threads) expect(await logOf(page, model).textContent()).toContain('interrupted');
  });

  test('a failed model leaves the response of the other, and is retried alone', async () => {
    const { page } = await member('/playground');
    await compare(page);
    await page.route('**/v1/chat/completions', (route) =>
      route.request().postDataJSON().model === 'svc-instruct'
        ? route.fulfill({ status: 502, json: failure })
        : route.continue(),
    );
    await say(page, 'Tell me of rivers');
    await eventually(() => logOf(page, 'svc-1').textContent()).toContain('finish_reason: stop');
    const talk = await logOf(page, 'svc-1').textContent();
    await page.unroute('**/v1/chat/completions');
    await press(page, 'Retry');
    await eventually(() => logOf(page, 'svc-instruct').textContent()).toContain('finish_reason: stop');
    expect(await logOf(page, 'svc-1').textContent()).toBe(talk);
  });

  test('an edit applies to both, and ending the comparison keeps the first, until undone', async () => {
    const { page } = await member('/playground');
    await ask(page, 'Tell me of rivers');
    await compare(page);
    expect(await logOf(page, 'svc-instruct').textContent()).toContain('Tell me of rivers');
    await logOf(page, 'svc-instruct').getByRole('button', { name: 'Edit message' }).click();
    await logOf(page, 'svc-instruct').getByRole('textbox', { name: 'Edit message' }).fill('Tell me of bridges');
    await page.keyboard.press('Enter');
    for (const model of threads)
      await eventually(() => logOf(page, model).textContent()).toMatch(
        /^YouTell me of bridgesAssistantfinish_reason: stop/,
      );
    await page.reload();
    await eventually(() => logOf(page, 'svc-instruct').textContent()).toContain('Tell me of bridges');
    await page.getByRole('switch', { name: 'Compare' }).click();
    await eventually(() => page.getByRole('log').count()).toBe(1);
    await press(page, 'Undo');
    await eventually(() => page.getByRole('log').count()).toBe(2);
  });
}
