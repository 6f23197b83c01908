import { expect, test } from 'vitest';
import { keysSent } from '../accounts/shared-browser.ts';
import { expectReadable } from '../pages/findings.ts';
import { eventually, lengthsOf, log, member, press, say, service, shows, pick, visit } from '../stage.ts';

export function playgroundTests(): void {
  test('streams a response in chunks and shows its tokens, credits and times, with its own short-lived key', async () => {
    // The key's lifetime follows the service's clock, which is ahead of the browser's.
    const moved = await service.post('/_local/clock', { advance: 'PT3H' });
    const { page, person } = await member('/playground');
    const lengths = await lengthsOf(page, '[role=log]');
    await say(page, 'Tell me of rivers');
    await eventually(() => log(page).textContent()).toContain('finish_reason: stop');
    expect(await lengths()).toBeGreaterThan(3);
    const receipt = await page.locator('dl').first().textContent();
    expect(receipt).toMatch(/Time to first token[\d.]+ m?s.*Total time.*Tokens \(in \+ out\)\d+ \+ \d+.*Credits1$/);

    const ownKeys = async () =>
      (await service.call('GET', '/api/keys', { cookie: person.cookie })).body.data.filter(
        ({ name }: { name: string }) => name === 'Playground',
      );
    const own = await ownKeys();
    expect(own).toHaveLength(1);
    expect(Math.abs(Date.parse(own[0].expiresAt) - Date.parse(moved.now) - 15 * 60_000)).toBeLessThan(30_000);
    await page.reload();
    await eventually(() => page.locator('dl').first().textContent()).toBe(receipt);
    await say(page, 'Again');
    await press(page, 'New chat');
    await eventually(() => page.locator('dl').count()).toBe(0);
    const states = (await ownKeys()).map(({ status }: { status: string }) => status);
    expect(states.toSorted()).toEqual(['active', 'revoked']);
    await page.reload();
    await page.getByLabel('Your message').waitFor();
    expect(await page.locator('dl').count()).toBe(0);
  });

  test('completes, embeds with a similarity matrix, and translates', async () => {
    const { page } = await member('/playground');
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

  test('compares a text with itself, forgets removed texts, and does not compare fewer than two', async () => {
    const { page } = await member('/playground?tab=embeddings');
    const field = page.getByLabel('Texts, one per line');
    const rows = page.getByRole('region', { name: 'Similarity matrix' }).getByRole('row');
    for (const texts of ['river\nriver\nhill\nriver', 'hill\nriver', 'river\nriver\nriver']) {
      await field.fill(texts);
      await press(page, 'Compare');
      const named = texts.split('\n').map((text, index) => expect.stringMatching(`^${index + 1} · ${text}\\d`));
      await eventually(() => rows.allTextContents()).toEqual([expect.any(String), ...named]);
    }
    const button = page.getByRole('button', { name: 'Compare', exact: true });
    for (const texts of ['', 'river', '\nriver\n \n']) {
      await field.fill(texts);
      await shows(page, 'Enter at least 2 texts, each on a line of its own');
      expect(await button.isDisabled()).toBe(true);
    }
    await field.fill('river\nhill');
    expect(await button.isEnabled()).toBe(true);
  });

  test('an invalid number stays as typed, with its error, and is not sent', async () => {
    const { page } = await member('/playground');
    await page.getByLabel('Your message').fill('Hello');
    const isOff = (name: string) => page.getByRole('button', { name, exact: true }).isDisabled();
    const field = page.getByRole('textbox', { name: 'Maximum tokens' });
    await field.pressSequentially('1.5');
    await field.blur();
    await shows(page, 'Maximum tokens must be a whole number');
    expect([await field.inputValue(), await isOff('Send')]).toEqual(['1.5', true]);
    await field.fill('');
    await page.getByText('Maximum tokens must be a whole number').waitFor({ state: 'detached' });
    expect(await isOff('Send')).toBe(false);
    await page.goto('/playground?tab=embeddings');
    await page.getByRole('textbox', { name: 'Dimensions' }).fill('1537');
    await shows(page, 'Dimensions must be at most 1536');
    expect(await isOff('Compare')).toBe(true);
  });
}

export function getCodeTests(): void {
  test('the code contains the current parameters and messages, and never the page’s key', async () => {
    const page = await visit(await service.person());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sent = keysSent(page);
    await page.goto('/playground');
    await page.getByLabel('System message').fill("Don't guess");
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('40');
    await say(page, 'Tell me of rivers');
    await page.getByText(/^finish_reason/).waitFor();
    await page.getByLabel('Your message').fill('And of hills');
    await press(page, 'Get code');
    const dialog = page.getByRole('dialog');
    for (const title of ['Python', 'JavaScript', 'OpenAI SDK (Python)', 'OpenAI SDK (Node)', 'AI SDK', 'cURL']) {
      await pick(page, 'Language', title);
      const code = (await dialog.getByRole('region', { name: `${title} code` }).textContent()) ?? '';
      for (const part of ['And of hills', 'Tell me of rivers', 'API_KEY', service.origin, '40'])
        expect(code).toContain(part);
      expect(code).toMatch(/Don(?:'|\\'|'\\'')t guess/);
      expect(sent.keys.filter((key) => code.includes(key))).toEqual([]);
    }
    expect(sent.keys).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Copy cURL code' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -sN 'http:.*And of hills.*'$/s);
    await expectReadable(page, 'playground-code');
  });
}
