import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dashboardPages } from '#contract/dashboard-config.ts';
import { type Service, startService } from '#local/start/service.ts';
import { killCommands, processesWith, runLocal } from '#test/local-command.ts';

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'service-'));
const demoOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'));
const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };

async function call(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(origin + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: type.includes('json') ? JSON.parse(text) : undefined,
  };
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the service in a process', () => {
  let folder: string;
  let service: Service;
  const local = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call(service.origin, method, `/_local/${path}`, body, headers);

  beforeAll(async () => {
    process.env['SCRYPT_LOG2_N'] = '12';
    folder = await newFolder();
    service = await startService({ port: 0, data: folder, wordDelayMs: 0, buildDashboard: true });
  });
  afterAll(() => service.close());

  test('prints where everything is and who the demo account is', async () => {
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
      parked: { 'ledger-retry': 0 },
    });
    expect(json).toEqual(service.status);
    expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600);
  });

  test('has the demo account confirmed, on pro_pass, able to sign in and to chat', async () => {
    const { email, password, apiKey } = service.status.demo!;
    expect((await call(service.origin, 'POST', '/api/auth/login', { email, password })).json.data.isSubscribe).toBe(
      true,
    );
    const response = await call(service.origin, 'POST', '/v1/chat/completions', chat, bearer(apiKey));
    expect(response.json.message).toBe('SUCCESS');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('2000');
  });

  test('delivers a mail within about a second, with a link to this service', async () => {
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

  test('moves its clock forward, and everything that goes by it', async () => {
    const before = Date.parse((await local('GET', 'clock')).json.now);
    const { status, json } = await local('POST', 'clock', { advance: 'P1M1DT1H' });
    expect(status).toBe(200);
    expect(Date.parse(json.now) - before).toBeGreaterThan(29 * 86_400_000);
    const token = (await local('POST', 'identity-token', { email: 'a@example.com', name: 'A' })).json.token;
    expect(decodeJwt(token).iat! * 1000).toBeGreaterThan(before + 29 * 86_400_000);
    const balance = await call(
      service.origin,
      'GET',
      '/api/credits/me',
      undefined,
      bearer(service.status.demo!.apiKey),
    );
    expect(balance.status).toBe(200);
    expect(Date.parse(balance.json.data.expiresAt)).toBeGreaterThan(Date.parse(json.now));
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
  ])('%s is refused in one bare sentence', async (_name, method, path, body, expected) => {
    const { status, json } = await local(method, path, body);
    expect(status).toBe(expected);
    expect(json).toEqual({ error: expect.stringMatching(/^[^\n]+\.$/) });
  });

  test('shows its secrets to no page of another site', async () => {
    const { port } = new URL(service.origin);
    expect((await local('GET', 'status', undefined, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await local('POST', 'clock', { advance: 'P1D' }, { origin: 'null' })).status).toBe(403);
    expect((await local('GET', 'status', undefined, { origin: service.origin })).status).toBe(200);
    for (const path of ['/_local/status', '/']) {
      const { stdout } = await promisify(execFile)('curl', [
        '-si',
        '-H',
        'Host: rebound.example',
        `http://127.0.0.1:${port}${path}`,
      ]);
      expect(stdout).toMatch(/^HTTP\/1.1 403 /);
      expect(stdout).not.toContain(service.status.demo!.apiKey);
    }
    const { stdout } = await promisify(execFile)('curl', ['-si', `http://localhost:${port}/_local/status`]);
    expect(stdout).toMatch(/^HTTP\/1.1 200 /);
  });

  test('publishes the key that its identity tokens are checked with', async () => {
    const { json } = await local('GET', 'identity/.well-known/openid-configuration');
    expect(json.issuer).toBe(`${service.origin}/_local/identity`);
    const { pathname } = new URL(json.jwks_uri);
    expect((await call(service.origin, 'GET', pathname)).json.keys).toHaveLength(1);
  });

  test('injects the faults that are ordered, and shows which are pending', async () => {
    const order = { target: 'sagemaker', fault: 'error', count: 1 };
    expect((await local('POST', 'faults', order)).json).toEqual({ active: [order] });
    const { apiKey } = service.status.demo!;
    expect((await call(service.origin, 'POST', '/v1/chat/completions', chat, bearer(apiKey))).json.error).toBe(true);
    expect((await local('GET', 'faults')).json).toEqual({ active: [] });
    expect((await call(service.origin, 'POST', '/v1/chat/completions', chat, bearer(apiKey))).json.error).toBe(false);
  });

  test('serves the dashboard at every page, which loads nothing from elsewhere, and files that may be kept', async () => {
    const pages = await Promise.all(dashboardPages.map((path) => call(service.origin, 'GET', path)));
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const [{ text, headers }] = pages as [(typeof pages)[0]];
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(text).not.toMatch(/(src|href)="(?!\/)|<script>|tai_/);
    const script = /src="(\/assets\/[^"]+)"/.exec(text)![1]!;
    const file = await call(service.origin, 'GET', script);
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await call(service.origin, 'GET', '/config.json')).json).toEqual({ googleClientId: null, local: true });
    for (const path of ['/assets/none.js', '/keys/', '/../package.json', '/index.htm'])
      expect((await call(service.origin, 'GET', path)).json).toMatchObject({ status: 404, message: 'NOT_FOUND' });
    expect((await call(service.origin, 'POST', '/keys', {})).status).toBe(404);
    expect((await call(service.origin, 'GET', '/docs')).status).toBe(200);
  });

  test('has settled once the ledger has what was charged', async () => {
    const client = new DynamoDBClient();
    const rows = async () => (await client.send(new ScanCommand({ TableName: process.env['LEDGER_TABLE']! }))).Count!;
    await service.settled();
    const before = await rows();
    for (let calls = 0; calls < 3; calls += 1)
      await call(service.origin, 'POST', '/v1/chat/completions', chat, bearer(service.status.demo!.apiKey));
    await service.settled();
    expect(await rows()).toBe(before + 3);
    client.destroy();
  });

  test('refuses its data folder to another while it runs', async () => {
    await expect(startService({ port: 0, data: folder })).rejects.toThrow(
      `The data folder ${folder} is in use by the service with process id ${process.pid}.`,
    );
    expect((await local('GET', 'status')).status).toBe(200);
  });

  test('once closed, leaves no process, and the environment as it was', async () => {
    await service.close();
    await expect.poll(() => processesWith(folder)).toEqual([]);
    expect(Object.keys(process.env).filter((name) => /^AWS_ENDPOINT_URL|_TABLE$/.test(name))).toEqual([]);
  });
});

describe('the command', () => {
  afterEach(killCommands);

  test('prints a line that works when it is pasted into bash, ends with 0 on SIGTERM, and leaves nothing running', async () => {
    const folder = await newFolder();
    const command = runLocal(['--port', '0', '--data', folder]);
    await command.ready;
    const line = /^curl .*$/m.exec(command.out())![0];
    const { stdout } = await promisify(execFile)('bash', ['-c', line]);
    expect(JSON.parse(stdout).message).toBe('SUCCESS');
    await expect.poll(() => command.out()).toMatch(/^POST \/v1\/chat\/completions 200 \d+ ms$/m);
    command.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(command.err()).toBe('');
    await expect.poll(() => processesWith(folder)).toEqual([]);
  });

  test('lets a request under way complete before it ends', async () => {
    const slow = createServer((_request, response) => {
      setTimeout(
        () => response.setHeader('content-type', 'application/json').end(JSON.stringify(slowCompletion)),
        1000,
      );
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as { port: number };
    const folder = await newFolder();
    const command = runLocal([
      '--port',
      '0',
      '--data',
      folder,
      '--model-url',
      `http://127.0.0.1:${port}/v1`,
      '--model-name',
      'm',
    ]);
    const origin = await command.ready;
    const response = call(origin, 'POST', '/v1/chat/completions', chat, bearer((await demoOf(folder)).apiKey));
    await new Promise((resolve) => setTimeout(resolve, 300));
    command.kill('SIGINT');
    command.kill('SIGTERM'); // npm and the terminal both send one: within half a second they count as one
    expect((await response).json.data.choices[0].message.content).toBe('late but whole');
    expect(await command.ended).toBe(0);
    slow.close();
  });

  test('killed with SIGKILL leaves nothing running, and starts again on the same data with the same account and time', async () => {
    const folder = await newFolder();
    const first = runLocal(['--port', '0', '--data', folder]);
    const { json } = await call(await first.ready, 'POST', '/_local/clock', { advance: 'P1Y' });
    first.kill('SIGKILL');
    await expect.poll(() => processesWith(folder), { timeout: 2000 }).toEqual([]);
    const demo = await demoOf(folder);
    const second = runLocal(['--port', '0', '--data', folder]);
    const origin = await second.ready;
    expect((await call(origin, 'GET', '/_local/status')).json.demo).toEqual(demo);
    expect((await call(origin, 'GET', '/_local/clock')).json.now > json.now).toBe(true);
    expect((await call(origin, 'GET', '/v1/models', undefined, bearer(demo.apiKey))).status).toBe(200);
  });

  test('makes the demo account a new key when the old one is lost or revoked, and finishes one left half-way', async () => {
    const folder = await newFolder();
    const restart = async (): Promise<string> => {
      const command = runLocal(['--port', '0', '--data', folder]);
      const origin = await command.ready;
      const { apiKey } = (await call(origin, 'GET', '/_local/status')).json.demo;
      expect((await call(origin, 'POST', '/v1/chat/completions', chat, bearer(apiKey))).status).toBe(200);
      const login = await call(origin, 'POST', '/api/auth/login', await demoOf(folder));
      const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
      const keys = (await call(origin, 'GET', '/api/keys', undefined, { cookie })).json.data;
      for (const { id } of keys) await call(origin, 'DELETE', `/api/keys/${id}`, undefined, { cookie });
      command.kill('SIGKILL');
      await command.ended;
      return apiKey;
    };
    const first = await restart();
    const second = await restart();
    await rm(join(folder, 'demo.json'));
    expect(new Set([first, second, await restart()]).size).toBe(3);
  });

  test('ends with a sentence when its database dies', async () => {
    const folder = await newFolder();
    const command = runLocal(['--port', '0', '--data', folder]);
    await command.ready;
    const pids = (await processesWith(join(folder, 'dynamodb.sqlite'))).sort((a, b) => a - b);
    process.kill(pids[0]!, 'SIGKILL');
    expect(await command.ended).toBe(1);
    expect(command.err()).toMatch(/^The embedded database ended by itself .*\n$/);
    await expect.poll(() => processesWith(folder)).toEqual([]);
  });

  test('prints its options with --help', async () => {
    const command = runLocal(['--help']);
    expect(await command.ended).toBe(0);
    expect(command.out()).toContain('--model-url');
  });

  test('reports a port in use, and a folder in use, in one sentence', async () => {
    const folder = await newFolder();
    const port = new URL(await runLocal(['--port', '0', '--data', folder]).ready).port;
    const [samePort, sameData] = [
      runLocal(['--port', port, '--data', await newFolder()]),
      runLocal(['--port', '0', '--data', folder]),
    ];
    expect([await samePort.ended, await sameData.ended]).toEqual([1, 1]);
    expect(samePort.err()).toBe(
      `Port ${port} is in use by another program. Stop that one, or choose another with --port PORT.\n`,
    );
    expect(sameData.err()).toMatch(/^The data folder .* is in use by the service with process id \d+\. .*\n$/);
  });

  test('reports a data folder it cannot use, and a damaged file in it, in one sentence', async () => {
    const folder = await newFolder();
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const data of [file, join(file, 'below')]) {
      const command = runLocal(['--port', '0', '--data', data]);
      expect(await command.ended).toBe(1);
      expect(command.err()).toBe(
        `The data folder ${data} is not a directory, or lies under a file. Choose another with --data DIR.\n`,
      );
    }
    for (const name of ['clock.json', 'mails.jsonl', 'dynamodb.sqlite', 'identity-key.json']) {
      const data = await newFolder();
      await writeFile(join(data, name), 'damaged\n'.repeat(100));
      const command = runLocal(['--port', '0', '--data', data]);
      expect(await command.ended).toBe(1);
      expect(command.err()).toMatch(/^The [^\n]+\.\n$/);
      expect(command.err()).toContain(join(data, name));
      await expect.poll(() => processesWith(data)).toEqual([]);
    }
  });

  test('reports an unknown flag with exit code 2', async () => {
    const command = runLocal(['--colour']);
    expect(await command.ended).toBe(2);
    expect(command.err()).toBe("Unknown option '--colour'. Run npm start -- --help to see the options.\n");
  });
});

const slowCompletion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'late but whole' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
};
