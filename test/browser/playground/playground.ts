import { expect, test } from 'vitest';
import { eventually, press, type Stage, shows } from '../stage.ts';

export function playgroundTests(stage: () => Stage): void {
  test('streams a response piece by piece and shows its tokens, credits and times, with a short-lived key of its own', async () => {
    const { service, visit } = stage();
    // The key's lifetime is by the service's clock, which is ahead of the browser's.
    const moved = await service.post('/_local/clock', { advance: 'PT3H' });
    const person = await service.person();
    const page = await visit(person);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Tell me of rivers');
    await press(page, 'Send');
    const log = page.getByRole('log');
    const lengths = new Set<number>();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    while (await page.getByRole('button', { name: 'Stop' }).isVisible())
      lengths.add((await log.textContent())?.length ?? 0);
    expect(lengths.size).toBeGreaterThan(3);
    const receipt = await page.locator('dl').first().textContent();
    expect(receipt).toMatch(/Time to first token[\d.]+ m?s.*Total time.*Tokens \(in \+ out\)\d+ \+ \d+.*Credits1$/);

    const { cookie } = person;
    const keys = (await service.call('GET', '/api/keys', { cookie })).body.data;
    const own = keys.filter(({ name }: { name: string }) => name === 'Playground');
    expect(own).toHaveLength(1);
    expect(Math.abs(Date.parse(own[0].expiresAt) - Date.parse(moved.now) - 15 * 60_000)).toBeLessThan(30_000);
    await page.reload();
    await page.getByLabel('Your message').fill('Again');
    await press(page, 'Send');
    await press(page, 'New chat');
    const states = (await service.call('GET', '/api/keys', { cookie })).body.data
      .filter(({ name }: { name: string }) => name === 'Playground')
      .map(({ status }: { status: string }) => status);
    expect(states.toSorted()).toEqual(['active', 'revoked']);
  });

  test('plays a function call to its end', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await press(page, 'Insert example');
    await page.getByLabel('Your message').fill('What is the weather in Paris?');
    await press(page, 'Send');
    await shows(page, 'find_weather');
    await page.getByLabel('Function result').fill('{"sky": "clear"}');
    await press(page, 'Submit result');
    await eventually(() => page.getByRole('log').textContent()).toMatch(/Function result\{"sky": "clear"\}Assistant./);
  });

  test('completes, embeds with a similarity matrix, and translates', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await page.getByRole('tab', { name: 'Completion' }).click();
    await press(page, 'Generate');
    await eventually(() => page.getByRole('region', { name: 'Output' }).textContent()).toMatch(/^Output.{20}/);

    await page.getByRole('tab', { name: 'Embeddings' }).click();
    await press(page, 'Compare');
    const cells = page.getByRole('region', { name: 'Similarity matrix' }).getByRole('cell');
    await eventually(() => cells.count()).toBe(17);
    const values = (await cells.allTextContents()).slice(1).map(Number);
    expect([values[0], values[5], values[10], values[15]]).toEqual([1, 1, 1, 1]);
    expect(values[1]).toBeGreaterThan(values[2]!);

    await page.getByRole('tab', { name: 'Translation' }).click();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await shows(page, '8 words, 10 credits');
    await eventually(() => page.getByRole('region', { name: 'Translation' }).last().textContent()).toMatch(/.{20}/);
  });

  test('compares a text with itself, and forgets what is taken out', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await page.getByRole('tab', { name: 'Embeddings' }).click();
    const rows = page.getByRole('region', { name: 'Similarity matrix' }).getByRole('row');
    for (const texts of ['river\nriver\nhill\nriver', 'hill\nriver', 'river\nriver\nriver']) {
      await page.getByLabel('Texts, one per line').fill(texts);
      await press(page, 'Compare');
      const named = texts.split('\n').map((text, index) => expect.stringMatching(`^${index + 1} · ${text}\\d`));
      await eventually(() => rows.allTextContents()).toEqual([expect.any(String), ...named]);
    }
  });

  test('fewer than two texts are an error at their field, and are not compared', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground?tab=embeddings');
    for (const texts of ['', 'river', '\nriver\n \n']) {
      await page.getByLabel('Texts, one per line').fill(texts);
      await shows(page, 'Enter at least 2 texts, each on a line of its own');
      expect(await page.getByRole('button', { name: 'Compare', exact: true }).isDisabled()).toBe(true);
    }
    await page.getByLabel('Texts, one per line').fill('river\nhill');
    expect(await page.getByRole('button', { name: 'Compare', exact: true }).isEnabled()).toBe(true);
  });

  test('a number that no request may have stays as it is typed, with its error, and is not sent', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Hello');
    const isOff = (name: string) => page.getByRole('button', { name, exact: true }).isDisabled();
    for (const name of ['Maximum tokens', 'Top k']) {
      const field = page.getByRole('textbox', { name });
      for (const [typed, error] of [
        ['1.5', 'must be a whole number'],
        ['-5', 'must be at least 1'],
        ['0', 'must be at least 1'],
        ['99999999999999999999', 'is too large'],
      ] as const) {
        await field.fill('');
        await field.pressSequentially(typed);
        await field.blur();
        await shows(page, `${name} ${error}`);
        expect((await field.inputValue()).replaceAll(',', '')).toBe(typed);
        expect(await isOff('Send')).toBe(true);
      }
      await field.fill('');
      await page.getByText(`${name} is too large`).waitFor({ state: 'detached' });
      expect(await isOff('Send')).toBe(false);
    }
    await page.goto('/playground?tab=embeddings');
    for (const [typed, error] of [
      ['0', 'must be at least 1'],
      ['1537', 'must be at most 1536'],
    ] as const) {
      await page.getByRole('textbox', { name: 'Dimensions' }).fill(typed);
      await shows(page, `Dimensions ${error}`);
      expect(await isOff('Compare')).toBe(true);
    }
  });
}
