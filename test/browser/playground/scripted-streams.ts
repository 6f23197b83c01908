import type { Page } from 'playwright-core';

const event = (message: string, data: unknown): string =>
  `data: ${JSON.stringify({ message, error: false, data, status: 200 })}\n\n`;
const chunk = (delta: object, finish: string | null, more: object = {}): string =>
  event('STREAM_CHUNK', { choices: [{ index: 0, delta, finish_reason: finish }], ...more });

const usage = { prompt_tokens: 8, completion_tokens: 90, total_tokens: 98 };
const end = chunk({}, 'stop', { usage }) + event('STREAM_COMPLETE', null);

/** Makes the page's next chats return this text. */
export async function respondWith(page: Page, text: string): Promise<void> {
  await page.unroute('**/v1/chat/completions');
  await page.route('**/v1/chat/completions', (route) =>
    route.fulfill({
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'scripted' },
      body: chunk({ content: text }, null) + end,
    }),
  );
}

/** Makes every chat of the page stream this text in pieces of four characters. */
export async function streamSlowly(page: Page, text: string, piecesPerSecond: number): Promise<void> {
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
