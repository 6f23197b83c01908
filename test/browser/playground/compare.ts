import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { changeTheme, findings } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const threads = ['svc-1', 'svc-instruct'] as const;
const log = (page: Page, model: string) => page.getByRole('log', { name: `Conversation with ${model}` });

async function compare(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Compare' }).click();
  await log(page, 'svc-instruct').waitFor();
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await press(page, 'Send');
}

export function compareTests(stage: () => Stage): void {
  test('two models get the same conversation; each streams with its own figures, and both are charged', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/playground');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('60');
    await page.getByLabel('System message').fill('Be brief');
    await compare(page);
    await shows(page, 'Each message goes to both models, and both responses are charged.');
    const bodies: any[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/chat/completions')) bodies.push(request.postDataJSON());
    });
    await send(page, 'Tell me of rivers');
    for (const model of threads) await eventually(() => log(page, model).textContent()).toContain('finish_reason');
    const figures = /Time to first token[\d.]+ m?s.*Total time[\d.]+ m?s.*Tokens \(in \+ out\)\d+ \+ \d+.*Credits1$/;
    for (const place of [0, 1]) expect(await page.locator('dl').nth(place).textContent()).toMatch(figures);
    const [{ model: first, ...one }, { model: second, ...other }] = bodies;
    expect(new Set([first, second])).toEqual(new Set(threads));
    expect(one).toEqual(other);
    await page.getByRole('heading', { name: 'Request details: svc-instruct' }).waitFor();
    const shown = await page.locator('dl').allTextContents();
    await page.reload();
    await eventually(() => page.locator('dl').allTextContents()).toEqual(shown);

    for (const width of [1280, 390])
      for (const theme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 900 });
        await changeTheme(page, theme);
        await shoot(page, `playground-compare-${theme}-${width}`);
        expect(await findings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      }
    await service.settled();
    expect((await service.call('GET', '/api/credits', person)).body.data.balance).toBe(98);
    const keys = (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data;
    expect(keys.filter(({ name }: { name: string }) => name === 'Playground')).toHaveLength(1);
  });

  test('one stop stops both, and each shows what it was charged', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('1500');
    await compare(page);
    await send(page, 'Tell me a long story of rivers');
    for (const model of threads) await eventually(() => log(page, model).textContent()).toMatch(/Assistant.{20}/);
    await press(page, 'Stop');
    await eventually(() => page.getByText('Interrupted. 1 credit charged.').count()).toBe(2);
    for (const model of threads) expect(await log(page, model).textContent()).toContain('interrupted');
  });

  test('figures of one model survive a reload, and go with the chat', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await send(page, 'Tell me of rivers');
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
    await eventually(() => page.locator('dl').allTextContents()).toEqual([expect.stringMatching(/Credits1$/)]);
    const shown = await page.locator('dl').allTextContents();
    await page.reload();
    await eventually(() => page.locator('dl').allTextContents()).toEqual(shown);
    await press(page, 'New chat');
    await eventually(() => page.locator('dl').count()).toBe(0);
    await page.reload();
    await page.getByLabel('Your message').waitFor();
    expect(await page.locator('dl').count()).toBe(0);
  });

  test('a model that fails takes nothing from the other, and is called again alone', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await compare(page);
    await page.route('**/v1/chat/completions', (route) =>
      route.request().postDataJSON().model === 'svc-instruct'
        ? route.fulfill({
            status: 502,
            json: { error: true, message: 'MODEL_ERROR', detail: 'The model failed.', status: 502, data: null },
          })
        : route.continue(),
    );
    await send(page, 'Tell me of rivers');
    await eventually(() => log(page, 'svc-1').textContent()).toContain('finish_reason: stop');
    const talk = await log(page, 'svc-1').textContent();
    await page.unroute('**/v1/chat/completions');
    await press(page, 'Retry');
    await eventually(() => log(page, 'svc-instruct').textContent()).toContain('finish_reason: stop');
    expect(await log(page, 'svc-1').textContent()).toBe(talk);
  });

  test('an edit goes to both; the end of comparing leaves the first, until it is undone', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await send(page, 'Tell me of rivers');
    await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
    await compare(page);
    expect(await log(page, 'svc-instruct').textContent()).toContain('Tell me of rivers');
    await log(page, 'svc-instruct').getByRole('button', { name: 'Edit message' }).click();
    await log(page, 'svc-instruct').getByRole('textbox', { name: 'Edit message' }).fill('Tell me of bridges');
    await page.keyboard.press('Enter');
    for (const model of threads)
      await eventually(() => log(page, model).textContent()).toMatch(
        /^YouTell me of bridgesAssistantfinish_reason: stop/,
      );
    await page.reload();
    await eventually(() => log(page, 'svc-instruct').textContent()).toContain('Tell me of bridges');
    await page.getByRole('switch', { name: 'Compare' }).click();
    await eventually(() => page.getByRole('log').count()).toBe(1);
    await press(page, 'Undo');
    await eventually(() => page.getByRole('log').count()).toBe(2);
  });
}
