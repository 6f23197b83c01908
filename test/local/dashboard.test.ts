import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHttpServer } from '#local/gateway/http-server.ts';
import { openDashboard } from '#local/pages/dashboard.ts';
import { sendJson } from '#local/shared/loopback.ts';
import { removeFolder } from '#test/folder.ts';

test("a dashboard that is not built is reported in a sentence, and stands in no other's way", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  const pages = await openDashboard(folder);
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
