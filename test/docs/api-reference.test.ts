import { access } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiReferenceFiles } from '#contract/api-reference.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const get = (path: string, init?: RequestInit) => fetch(service.origin + path, init);
const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

describe('the API reference', () => {
  it('is a page at /docs whose files are all there, and all its own', async () => {
    const page = await (await get('/docs')).text();
    const linked = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(linked.filter((link) => !link.startsWith('/') && link !== 'data:,')).toEqual([]);
    for (const link of linked.filter((link) => link.startsWith('/docs/'))) expect((await get(link)).status).toBe(200);
    expect(await (await get('/docs/')).text()).toBe(page);
    expect(page).not.toMatch(/<script(?! src=)|<style|\son\w+=/);
  });

  it.each(Object.entries(apiReferenceFiles))('serves %s with its type and a strict policy', async (name, source) => {
    const reply = await get(`/docs/${name}`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      types[name.split('.').at(-1) as keyof typeof types],
    ]);
    const policy = reply.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Number(reply.headers.get('content-length'))).toBe((await reply.arrayBuffer()).byteLength);
    await access(new URL(`../../${source}`, import.meta.url));
  });

  it.each([
    '/docs/nothing.js',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs//index.html',
    '/docs/api.md',
  ])('has nothing at %s: an enveloped 404', async (path) => {
    const reply = await get(path);
    expect([reply.status, await reply.json()]).toEqual([
      404,
      expect.objectContaining({ message: 'NOT_FOUND', data: null, status: 404 }),
    ]);
  });

  it('is not changed, and not shown to pages of other origins', async () => {
    expect((await get('/docs', { method: 'POST' })).status).toBe(404);
    expect((await get('/docs', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await get('/docs', { method: 'HEAD' })).status).toBe(200);
  });
});
