import { expect, test } from 'vitest';
import { changeTheme, findings } from '../pages/findings.ts';
import { press, type Stage } from '../stage.ts';

export function getCodeTests(stage: () => Stage): void {
  test('the code has the parameters and messages as they are, and never the page’s key', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const keys = new Set<string>();
    page.on('request', (request) => {
      const [, key] = /^Bearer (.*)/.exec(request.headers()['authorization'] ?? '') ?? [];
      if (key !== undefined) keys.add(key);
    });
    await page.goto('/playground');
    await page.getByLabel('System message').fill("Don't guess");
    await page.getByRole('textbox', { name: 'Maximum tokens' }).fill('40');
    await page.getByLabel('Your message').fill('Tell me of rivers');
    await press(page, 'Send');
    await page.getByText(/^finish_reason/).waitFor();
    await page.getByLabel('Your message').fill('And of hills');
    await press(page, 'Get code');
    const dialog = page.getByRole('dialog');
    const language = dialog.getByRole('combobox', { name: 'Language' });
    for (const title of ['Python', 'JavaScript', 'OpenAI SDK (Python)', 'OpenAI SDK (Node)', 'AI SDK', 'cURL']) {
      await language.click();
      await page.getByRole('option', { name: title, exact: true }).click();
      const code = (await dialog.getByRole('region', { name: `${title} code` }).textContent()) ?? '';
      for (const part of ['And of hills', 'Tell me of rivers', 'API_KEY', service.origin, '40'])
        expect(code).toContain(part);
      expect(code).toMatch(/Don(?:'|\\'|'\\'')t guess/);
      expect([...keys].filter((key) => code.includes(key))).toEqual([]);
    }
    expect(keys.size).toBe(1);
    await dialog.getByRole('button', { name: 'Copy cURL code' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -sN 'http:.*And of hills.*'$/s);
    for (const width of [1280, 390])
      for (const theme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 900 });
        await changeTheme(page, theme);
        await shoot(page, `playground-code-${theme}-${width}`);
        expect(await findings(page)).toEqual([]);
      }
  });

  test.each(['completion', 'embeddings', 'analyze', 'translate', 'speech', 'transcription'])(
    'the tab %s has its code too',
    async (tab) => {
      const page = await stage().visit(await stage().service.person());
      await page.goto(`/playground?tab=${tab}`);
      await press(page, 'Get code');
      const code = await page.getByRole('dialog').getByRole('region', { name: 'cURL code' }).textContent();
      expect(code).toMatch(/\/v1\/completions|\/v1\/embeddings|\/api\/ai\/(?:analyze|translate|speech|transcribe)/);
    },
  );
}
