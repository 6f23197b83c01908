import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHttpServer } from '#local/gateway/socket.ts';
import { openDashboard } from '#local/pages/dashboard.ts';
import { sendJson } from '#local/shared/loopback.ts';
import { removeFolder } from '#test/folder.ts';

test("a dashboard that is not built is reported in a sentence, and stands in no other's way", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const pages = await openDashboard({
    storage: 'http://127.0.0.1:9',
    demoSpeechFormats: null,
    planTable: 'listing',
    folder,
  });
  const server = await startHttpServer({
    port: 0,
    serve: (request, response) => {
      if (!pages(request, response, request.url ?? '')) sendJson(response, 200, { api: true });
    },
  });
  const page = await fetch(`${server.origin}/keys`);
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('<h1>The dashboard is not built</h1>');
  expect(await (await fetch(`${server.origin}/api/keys`)).json()).toEqual({ api: true });
  await server.close();
  await removeFolder(folder);
});

test.each([
  ['br, gzip', 'br'],
  ['gzip, deflate, BR;q=0.5', 'br'],
  ['gzip;q=1.0', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['deflate', null],
  ['*;q=0', null],
])('a page comes as it was built, for Accept-Encoding “%s” with the coding %s', async (accepted, coding) => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const text = `<!doctype html>${'<p>The river is quiet.</p>'.repeat(100)}`;
  await writeFile(join(folder, 'index.html'), text);
  await writeFile(join(folder, 'mark.svg'), '<svg/>');
  const pages = await openDashboard({
    storage: 'http://127.0.0.1:9',
    demoSpeechFormats: null,
    planTable: 'listing',
    folder,
  });
  const server = await startHttpServer({
    port: 0,
    serve: (request, response) => void pages(request, response, request.url ?? ''),
  });
  for (const path of ['/', '/keys', '/']) {
    const page = await fetch(`${server.origin}${path}`, { headers: { 'accept-encoding': accepted } });
    expect([page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual([coding, 'accept-encoding']);
    expect(await page.text()).toBe(text);
  }
  const small = await fetch(`${server.origin}/mark.svg`, { headers: { 'accept-encoding': accepted } });
  expect(small.headers.get('content-encoding')).toBeNull();
  await server.close();
  await removeFolder(folder);
});
