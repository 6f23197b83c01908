import { expect, test } from 'vitest';
import { keysSent } from '../accounts/shared-browser.ts';
import { expectReadable } from '../pages/findings.ts';
import { pick, press, say, service, visit } from '../stage.ts';

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
