import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hostileMarkdown, sampleMarkdown } from '#test/attacks/markdown.ts';
import { looksWell } from '../pages/findings.ts';
import { watchSmoothness } from '../pages/smoothness.ts';
import { ask, eventually, log, member, press, requestsOf, say, service, shows, visit } from '../stage.ts';

const allowedElements = new Set(
  'DIV SPAN STRONG EM DEL P H3 H4 H5 H6 UL OL LI INPUT BLOCKQUOTE PRE CODE BR HR A TABLE THEAD TBODY TR TH TD BUTTON svg path'.split(
    ' ',
  ),
);

export function markdownTests(): void {
  test('a response is displayed as Markdown, in both themes and on a phone, or as plain text; a code block is copied unchanged', async () => {
    const { page } = await member('/playground');
    await respondWith(page, sampleMarkdown);
    await ask(page, 'Show me everything');
    await log(page).getByRole('heading', { name: 'A short guide', level: 3 }).waitFor();
    expect(await log(page).getByRole('listitem').count()).toBe(8);
    expect(await log(page).getByRole('table').getByRole('cell').allTextContents()).toContain('4,096');
    expect(
      await log(page)
        .getByRole('checkbox')
        .evaluateAll((boxes: any[]) => boxes.map(({ checked }) => checked)),
    ).toEqual([true, false]);
    const link = log(page).getByRole('link', { name: 'the documentation' });
    expect(await link.getAttribute('href')).toBe('https://example.com/docs?a=1&b=2');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(await link.getAttribute('target')).toBe('_blank');
    await log(page).evaluate((element: any) => element.scrollTo(0, 0));
    await looksWell(page, 'playground-markdown');
    await page.setViewportSize({ width: 1360, height: 900 });
    await page.getByRole('switch', { name: 'Markdown' }).click();
    await shows(page, /^# A short guide\n/);
    await page.getByRole('switch', { name: 'Markdown' }).click();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = 'const a = `<b>${"x"}</b>`;\n\n// 100 %\tdone';
    await press(page, 'New chat');
    await respondWith(page, `Here:\n\n\`\`\`js\n${code}\n\`\`\``);
    await ask(page, 'Code');
    await press(page, 'Copy js code');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
  });

  test('Markdown of a hostile model loads nothing, runs nothing and links only to https', async () => {
    const page = await visit(await service.person());
    const requests = requestsOf(page);
    await page.goto('/playground');
    await respondWith(page, hostileMarkdown.join('\n\n'));
    await ask(page, 'Be hostile');
    await log(page).getByRole('link', { name: 'Image: pixel' }).waitFor();
    const seen: { names: string[]; handlers: string[]; links: string[][]; sources: number } = await log(page).evaluate(
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
    expect(requests.filter((url) => !url.startsWith(service.origin))).toEqual([]);
    expect(await page.locator('meta[http-equiv=x-dns-prefetch-control]').getAttribute('content')).toBe('off');
  });

  test('8,000 tokens stream without a task of more than 100 ms or a layout shift', async () => {
    const page = await visit(await service.person());
    const text = Array.from({ length: 40 }, (_, index) => sampleMarkdown.replace('guide', `guide ${index}`)).join(
      '\n\n',
    );
    expect(text.length).toBeGreaterThan(30_000);
    await streamSlowly(page, text, 1000);
    await page.goto('/playground');
    await page.getByLabel('Your message').fill('Everything');
    const smoothness = await watchSmoothness(page);
    await press(page, 'Send');
    // Reading the page's text would itself be a task of the page.
    await page.locator('[role=log][aria-busy=false]', { hasText: 'finish_reason' }).waitFor({ timeout: 60_000 });
    const { maxTaskMs, shift } = await smoothness();
    console.log(`8,000 tokens: the longest task took ${maxTaskMs.toFixed()} ms, shift ${shift.toFixed(3)}`);
    expect(maxTaskMs).toBeLessThan(100);
    expect(shift).toBeLessThan(0.05);
    expect(await page.getByRole('log').getByRole('heading', { level: 3 }).count()).toBe(40);
  }, 90_000);

  test('a response is readable in place while it streams', async () => {
    const page = await visit(await service.person());
    await streamSlowly(page, sampleMarkdown.repeat(6), 1000);
    await page.goto('/playground');
    await say(page, 'Everything');
    const top = () => log(page).evaluate(({ scrollTop }: any) => scrollTop);
    await eventually(top).toBeGreaterThan(300);
    await log(page).evaluate((element: any) => element.scrollTo(0, 40));
    await eventually(() => log(page).textContent()).toContain('finish_reason: stop');
    expect(await top()).toBe(40);
  });

  test('the Markdown code loads with the first message, and not before', async () => {
    const page = await visit(await service.person());
    const loaded = requestsOf(page);
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

const event = (message: string, data: unknown): string =>
  `data: ${JSON.stringify({ message, error: false, data, status: 200 })}\n\n`;
const chunk = (delta: object, finish: string | null, more: object = {}): string =>
  event('STREAM_CHUNK', { choices: [{ index: 0, delta, finish_reason: finish }], ...more });

const usage = { prompt_tokens: 8, completion_tokens: 90, total_tokens: 98 };
const end = chunk({}, 'stop', { usage }) + event('STREAM_COMPLETE', null);

/** Makes the page's next chats return this text. */
async function respondWith(page: Page, text: string): Promise<void> {
  await page.unroute('**/v1/chat/completions');
  await page.route('**/v1/chat/completions', (route) =>
    route.fulfill({
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'scripted' },
      body: chunk({ content: text }, null) + end,
    }),
  );
}

/** Makes every chat of the page stream this text in pieces of four characters. */
async function streamSlowly(page: Page, text: string, piecesPerSecond: number): Promise<void> {
  const events = (text.match(/[^]{1,4}/g) ?? []).map((piece) => chunk({ content: piece }, null));
  const everyMs = 10;
  const perTick = Math.ceil((piecesPerSecond * everyMs) / 1000);
  await page.addInitScript(`{
    const events = ${JSON.stringify([...events, end])};
    const real = window.fetch;
    window.fetch = (url, init) => {
      if (!String(url).endsWith('/v1/chat/completions')) return real(url, init);
      let at = 0;
      const encoder = new TextEncoder();
      const body = new ReadableStream({
        start(controller) {
          const timer = setInterval(() => {
            controller.enqueue(encoder.encode(events.slice(at, at + ${perTick}).join('')));
            at += ${perTick};
            if (at < events.length) return;
            clearInterval(timer);
            controller.close();
          }, ${everyMs});
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
  }`);
}
