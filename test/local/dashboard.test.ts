import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startHttpServer } from '#local/gateway/socket.ts';
import { openDashboard } from '#local/pages/dashboard.ts';
import { sendJson } from '#local/shared/loopback.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(() => removeFolder(folder));

async function startPages() {
  const pages = await openDashboard({
    origin: 'http://127.0.0.1:8',
    sessionCookie: 'session',
    storage: 'http://127.0.0.1:9',
    demoSpeechFormats: null,
    planTable: 'listing',
    payments: false,
    folder,
  });
  return startHttpServer({
    port: 0,
    serve: (request, response) => {
      if (!pages(request, response, request.url ?? '')) sendJson(response, 200, { api: true });
    },
  });
}

test('a missing build of the dashboard is reported with 503, and the API still responds', async () => {
  const server = await startPages();
  const page = await fetch(`${server.origin}/keys`);
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('<h1>The dashboard is not built</h1>');
  expect(await (await fetch(`${server.origin}/api/keys`)).json()).toEqual({ api: true });
  await server.close();
});

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, BR;q=0.5', 'br'],
  ['gzip;q=1.0', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['deflate', null],
  ['*;q=0', null],
])('the response for Accept-Encoding “%s” has the encoding %s', async (accepted, coding) => {
  const text = `<!doctype html>${'<p>The river is quiet.</p>'.repeat(100)}`;
  await writeFile(join(folder, 'index.html'), text);
  await writeFile(join(folder, 'mark.svg'), '<svg/>');
  const server = await startPages();
  const get = (path: string) => fetch(server.origin + path, { headers: { 'accept-encoding': accepted } });
  for (const path of ['/', '/keys', '/']) {
    const page = await get(path);
    expect([page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual([coding, 'accept-encoding']);
    expect(await page.text()).toBe(text);
  }
  expect((await get('/mark.svg')).headers.get('content-encoding')).toBeNull();
  await server.close();
});

test('a build of an earlier version, without Brotli files, is served', async () => {
  const script = 'const river = "quiet";'.repeat(100);
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'index-1a2b.js'), script);
  const server = await startPages();
  for (const coding of ['br', 'gzip']) {
    const file = await fetch(`${server.origin}/assets/index-1a2b.js`, { headers: { 'accept-encoding': coding } });
    expect([file.status, file.headers.get('content-encoding')]).toEqual([200, coding]);
    expect(await file.text()).toBe(script);
  }
  await server.close();
});
