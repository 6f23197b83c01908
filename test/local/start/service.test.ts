import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { type Service, startService } from '#local/start/service.ts';
import { rowsOf } from '#test/database/rows.ts';
import { bearer, call, chat, newFolder } from '#test/service/local-calls.ts';
import { processesWith } from '#test/service/local-command.ts';

describe('the service in a process', () => {
  let folder: string;
  let service: Service;
  const local = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call(service.origin, method, `/_local/${path}`, body, headers);

  const ask = () => call(service.origin, 'POST', '/v1/chat/completions', chat, bearer(service.status.demo!.apiKey));
  const uploadOf = async (key: string) => {
    const body = { contentType: 'audio/wav', bytes: 9 };
    return (await call(service.origin, 'POST', '/api/ai/uploads', body, bearer(key))).json.data;
  };

  beforeAll(async () => {
    folder = await newFolder();
    service = await startService({ port: 0, data: folder, wordDelayMs: 0, buildDashboard: true });
  });
  afterAll(() => service.close());

  test('returns its addresses and the demo account', async () => {
    const { status, json } = await local('GET', 'status');
    const { origin } = service;
    expect(status).toBe(200);
    expect(json).toEqual({
      ready: true,
      apiUrl: `${origin}/api`,
      inferenceUrl: `${origin}/v1`,
      dashboardUrl: `${origin}/`,
      docsUrl: `${origin}/docs`,
      demo: { email: 'demo@example.com', password: expect.any(String), apiKey: expect.stringMatching(/^tai_/) },
      parked: {
        documents: 0,
        'hold-sweeps': 0,
        'ledger-retry': 0,
        'mail-retry': 0,
        payments: 0,
        renewals: 0,
        'slow-webhooks': 0,
        webhooks: 0,
      },
    });
    expect(json).toEqual(service.status);
    expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600);
  });

  test('has a confirmed demo account on pro_pass that can sign in and chat', async () => {
    const login = await call(service.origin, 'POST', '/api/auth/login', service.status.demo);
    expect(login.json.data.isSubscribe).toBe(true);
    const response = await ask();
    expect(response.json.message).toBe('SUCCESS');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('2000');
  });

  test('delivers an email within about a second, with a link to this service', async () => {
    const email = 'newcomer@example.com';
    await call(service.origin, 'POST', '/api/auth/register', { email, name: 'New', password_hash: 'correct horse 9!' });
    const mails = async () =>
      (await local('GET', 'mail')).json.filter((mail: { to: string[] }) => mail.to.includes(email));
    await expect.poll(mails, { timeout: 1500 }).toHaveLength(1);
    const [mail] = await mails();
    expect(Object.keys(mail).sort()).toEqual(['html', 'sentAt', 'subject', 'text', 'to']);
    const link = new URL(/http:\S+/.exec(mail.text)![0]);
    expect(link.origin).toBe(service.origin);
    expect((await local('GET', 'inbox')).text).toContain('newcomer@example.com');
    expect(link.pathname).toBe('/confirm');
  });

  test.each([
    ['a duration with a fraction', 'POST', 'clock', { advance: 'P1.5D' }, 400],
    ['a time gone by', 'POST', 'clock', { now: '2020-01-01T00:00:00Z' }, 400],
    ['a fault of nothing there', 'POST', 'faults', { target: 'moon', fault: 'error' }, 400],
    ['a person without an address', 'POST', 'identity-token', { email: 'nobody', name: 'A' }, 400],
    ['a huge body', 'POST', 'identity-token', 'x'.repeat(100_000), 400],
    ['another method', 'DELETE', 'status', undefined, 405],
    ['an unknown path', 'GET', 'nothing', undefined, 404],
    ['no path', 'GET', '', undefined, 404],
  ])('rejects %s in one sentence', async (_name, method, path, body, expected) => {
    const { status, json } = await local(method, path, body);
    expect(status).toBe(expected);
    expect(json).toEqual({ error: expect.stringMatching(/^[^\n]+\.$/) });
  });

  test('returns 403 and no secrets to pages of other sites', async () => {
    const { port } = new URL(service.origin);
    expect((await local('GET', 'status', undefined, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await local('POST', 'clock', { advance: 'P1D' }, { origin: 'null' })).status).toBe(403);
    expect((await local('GET', 'status', undefined, { origin: service.origin })).status).toBe(200);
    for (const path of ['/_local/status', '/']) {
      const args = ['-si', '-H', 'Host: rebound.example', `http://127.0.0.1:${port}${path}`];
      const { stdout } = await promisify(execFile)('curl', args);
      expect(stdout).toMatch(/^HTTP\/1.1 403 /);
      expect(stdout).not.toContain(service.status.demo!.apiKey);
    }
    const { stdout } = await promisify(execFile)('curl', ['-si', `http://localhost:${port}/_local/status`]);
    expect(stdout).toMatch(/^HTTP\/1.1 200 /);
  });

  test('serves the dashboard at every page path, without external resources, and cacheable files', async () => {
    const cookie = 'session=tas_1';
    const pages = await Promise.all(
      dashboardPages.map((path) => call(service.origin, 'GET', path, undefined, { cookie })),
    );
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const [{ text, headers }] = pages as [(typeof pages)[0]];
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    const { url } = await uploadOf(service.status.demo!.apiKey);
    expect(headers.get('content-security-policy')).toContain(
      `; media-src blob:; connect-src 'self' ${new URL(url).origin}; `,
    );
    expect(text).not.toMatch(/(src|href)="(?!\/)|<script>|tai_/);
    const script = /src="(\/assets\/[^"]+)"/.exec(text)![1]!;
    const file = await call(service.origin, 'GET', script);
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await call(service.origin, 'GET', '/config.json')).json).toEqual({
      googleClientId: null,
      local: true,
      demoSpeechFormats: ['mp3', 'wav', 'pcm'],
      planTable: 'listing',
      salesEmail: 'sales@example.com',
      payments: false,
      storePrompts: true,
    });
    for (const path of ['/assets/none.js', '/keys/', '/../package.json', '/index.htm'])
      expect((await call(service.origin, 'GET', path)).json).toMatchObject({ status: 404, message: 'NOT_FOUND' });
    expect((await call(service.origin, 'POST', '/keys', {})).status).toBe(404);
    expect((await call(service.origin, 'GET', '/docs')).status).toBe(200);
  });

  test('is settled once the ledger contains every charge', async () => {
    const rows = async () => (await rowsOf('ledger')).length;
    await service.settled();
    const before = await rows();
    for (let calls = 0; calls < 3; calls += 1) await ask();
    await service.settled();
    expect(await rows()).toBe(before + 3);
  });

  test('leaves no process after it is closed, and restores the environment', async () => {
    await service.close();
    await expect.poll(() => processesWith(folder)).toEqual([]);
    expect(Object.keys(process.env).filter((name) => /^AWS_ENDPOINT_URL|_TABLE$/.test(name))).toEqual([]);
  });
});
