import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { ask, eventually, member, press, say, service, shows } from '../stage.ts';

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
