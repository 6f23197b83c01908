import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '#test/browser.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

/** Runs in a page of another origin: a call, a stream and an error, by OpenAI's own client. */
const script = `
import OpenAI from 'openai';
globalThis.call = async (origin, apiKey) => {
  const client = new OpenAI({ apiKey, baseURL: origin + '/openai/v1', maxRetries: 0, dangerouslyAllowBrowser: true });
  const body = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
  const { data, response } = await client.chat.completions.create(body).withResponse();
  let streamed = '';
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? '';
  const { status, param, requestID } = await client.chat.completions.create({ ...body, temperature: 9 }).catch((error) => error);
  const cookies = await fetch(origin + '/openai/v1/models', { credentials: 'include' }).then(() => 'read', () => 'blocked');
  return {
    text: data.choices[0].message.content,
    streamed,
    charged: response.headers.get('x-credits-charged'),
    requestId: response.headers.get('x-request-id'),
    limit: response.headers.get('x-ratelimit-limit-requests'),
    error: { status, param, requestID },
    cookies,
  };
};`;

let service: TestService;
let browser: Browser;
let page: Awaited<ReturnType<typeof servePage>>;

async function servePage() {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript
        ? outputFiles[0]?.text
        : '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>',
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

beforeAll(async () => {
  [page, browser] = await Promise.all([servePage(), launchBrowser()]);
  service = await startTestService({ corsOrigins: [page.origin] });
}, 60_000);
afterAll(async () => {
  await Promise.all([browser.close(), service.close()]);
  page.close();
});

async function callFrom(origin: string): Promise<unknown> {
  const { key } = await service.person();
  const context = await browser.newContext();
  const opened = await context.newPage();
  await opened.goto(origin);
  await opened.waitForFunction('globalThis.call');
  const result = await opened.evaluate(`call(${JSON.stringify(service.origin)}, ${JSON.stringify(key)})`).catch(String);
  await context.close();
  return result;
}

it('the API lets OpenAI’s client in a listed page call, stream, and read headers and errors, without cookies', async () => {
  const result = await callFrom(page.origin);
  expect(result).toMatchObject({
    text: expect.stringContaining('demo'),
    charged: '1',
    requestId: expect.stringMatching(/^\w+$/),
    limit: expect.stringMatching(/^\d+$/),
    error: { status: 400, param: 'temperature', requestID: expect.stringMatching(/^\w+$/) },
    cookies: 'blocked',
  });
  expect(result).toHaveProperty('streamed', expect.stringContaining('demo'));
});

it('the API lets no other page call it', async () => {
  expect(await callFrom(page.origin.replace('127.0.0.1', 'localhost'))).toMatch(/Connection error/);
});
