import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { changeTheme, findings } from '../pages/findings.ts';
import { watchSmoothness } from '../pages/smoothness.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';
import { hostileMarkdown } from './hostile-markdown.ts';
import { sampleMarkdown } from './sample-markdown.ts';
import { respondWith, streamSlowly } from './scripted-streams.ts';

const allowedElements = new Set(
  'DIV SPAN STRONG EM DEL P H3 H4 H5 H6 UL OL LI INPUT BLOCKQUOTE PRE CODE BR HR A TABLE THEAD TBODY TR TH TD BUTTON svg path'.split(
    ' ',
  ),
);

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await press(page, 'Send');
  await eventually(() => page.getByRole('log').textContent()).toContain('finish_reason: stop');
}

export function markdownTests(stage: () => Stage): void {
  test('a response is shown as Markdown, in both themes and on a phone, or as it came', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit(await service.person());
    await page.goto('/playground');
    await respondWith(page, sampleMarkdown);
    await send(page, 'Show me everything');
    const log = page.getByRole('log');
    await log.getByRole('heading', { name: 'A short guide', level: 3 }).waitFor();
    expect(await log.getByRole('listitem').count()).toBe(8);
    expect(await log.getByRole('table').getByRole('cell').allTextContents()).toContain('4,096');
    expect(await log.getByRole('checkbox').evaluateAll((boxes: any[]) => boxes.map(({ checked }) => checked))).toEqual([
      true,
      false,
    ]);
    const link = log.getByRole('link', { name: 'the documentation' });
    expect(await link.getAttribute('href')).toBe('https://example.com/docs?a=1&b=2');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(await link.getAttribute('target')).toBe('_blank');
    for (const width of [1280, 390])
      for (const theme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 900 });
        await changeTheme(page, theme);
        await log.evaluate((element: any) => element.scrollTo(0, 0));
        await shoot(page, `playground-markdown-${theme}-${width}`);
        expect(await findings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      }
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.getByRole('switch', { name: 'Markdown' }).click();
    await shows(page, /^# A short guide\n/);
  });

  test('a code block is copied as it is', async () => {
    const page = await stage().visit(await stage().service.person());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/playground');
    const code = 'const a = `<b>${"x"}</b>`;\n\n// 100 %\tdone';
    await respondWith(page, `Here:\n\n\`\`\`js\n${code}\n\`\`\``);
    await send(page, 'Code');
    await press(page, 'Copy js code');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
  });

  test('what a hostile model writes loads nothing, runs nothing and leads nowhere but by https', async () => {
    const { service, visit } = stage();
    const page = await visit(await service.person());
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.origin)) foreign.push(request.url());
    });
    await page.goto('/playground');
    await respondWith(page, hostileMarkdown.join('\n\n'));
    await send(page, 'Be hostile');
    const log = page.getByRole('log');
    await log.getByRole('link', { name: 'Image: pixel' }).waitFor();
    const seen: { names: string[]; handlers: string[]; links: string[][]; sources: number } = await log.evaluate(
      (root: any) => {
        const all: any[] = [...root.querySelectorAll('*')];
        const attributes = all.flatMap((element) => [...element.attributes]);
        return {
          names: [...new Set(all.map(({ tagName }) => tagName))],
          handlers: attributes.map(({ name }) => name).filter((name) => name.startsWith('on')),
          links: all.filter(({ tagName }) => tagName === 'A').map(({ href, rel, target }) => [href, rel, target]),
          sources: attributes.filter(({ name }) => /^(?:src|srcset|srcdoc|data|action|poster|ping)$/.test(name)).length,
        };
      },
    );
    expect(seen.names.filter((name) => !allowedElements.has(name))).toEqual([]);
    expect(seen.handlers).toEqual([]);
    expect(seen.sources).toBe(0);
    expect(seen.links.length).toBeGreaterThan(4);
    for (const [href, rel, target] of seen.links) {
      expect(href).toMatch(/^https:\/\/evil\.example\//);
      expect([rel, target]).toEqual(['noopener noreferrer nofollow', '_blank']);
    }
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(foreign).toEqual([]);
    expect(await page.locator('meta[http-equiv=x-dns-prefetch-control]').getAttribute('content')).toBe('off');
  });

  test('8,000 tokens stream without a task of more than 100 ms, or a shift of the layout', async () => {
    const page = await stage().visit(await stage().service.person());
    const text = Array.from({ length: 40 }, (_, index) => sampleMarkdown.replace('guide', `guide ${index}`)).join(
      '\n\n',
    );
    expect(text.length).toBeGreaterThan(30_000);
    await streamSlowly(page, text, 1000);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Everything');
    const smoothness = await watchSmoothness(page);
    await press(page, 'Send');
    // A look at the page's text would be a task of the page.
    await page.locator('[role=log][aria-busy=false]', { hasText: 'finish_reason' }).waitFor({ timeout: 60_000 });
    const { maxTaskMs, shift } = await smoothness();
    console.log(`8,000 tokens: the longest task took ${maxTaskMs.toFixed()} ms, shift ${shift.toFixed(3)}`);
    expect(maxTaskMs).toBeLessThan(100);
    expect(shift).toBeLessThan(0.05);
    expect(await page.getByRole('log').getByRole('heading', { level: 3 }).count()).toBe(40);
  }, 90_000);

  test('a response can be read where it is while more comes', async () => {
    const page = await stage().visit(await stage().service.person());
    await streamSlowly(page, sampleMarkdown.repeat(6), 1000);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Everything');
    await press(page, 'Send');
    const log = page.getByRole('log');
    const top = () => log.evaluate(({ scrollTop }: any) => scrollTop);
    await eventually(top).toBeGreaterThan(300);
    await log.evaluate((element: any) => element.scrollTo(0, 40));
    await eventually(() => log.textContent()).toContain('finish_reason: stop');
    expect(await top()).toBe(40);
  });

  test('the code that reads Markdown comes with the first message, and not before', async () => {
    const page = await stage().visit(await stage().service.person());
    const loaded: string[] = [];
    page.on('request', (request) => void loaded.push(request.url()));
    await page.goto('/');
    await shows(page, /^Hello, /);
    await page.waitForLoadState('networkidle');
    expect(loaded.filter((url) => /\/(?:markdown|playground)-[\w-]{8}\./.test(url))).toEqual([]);
    await page.goto('/playground');
    await page.getByLabel('Your message').waitFor();
    await page.waitForLoadState('networkidle');
    expect(loaded.filter((url) => /markdown-.*\.js$/.test(url))).toEqual([]);
    await page.getByLabel('Your message').fill('Hello');
    await eventually(() => loaded.filter((url) => /markdown-.*\.js$/.test(url)).length).toBe(1);
  });
}
