#!/usr/bin/env node
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Makes `data.tar.gz`: the data folder of an earlier revision, and `facts.json` with what its API returned. Usage, with
 * the revision and its packages in FOLDER: `node test/local/previous-release/make-data.ts FOLDER`. The present file was
 * made by ea7a8d5a, the last revision before organizations.
 */
export const facts = {
  /** Later than any run of the tests, because the time of stored data only goes forward. */
  startsAt: '2040-01-15T09:00:00.000Z',
  email: 'ada@example.com',
  password: 'a quiet river bank',
  unconfirmed: 'ben@example.com',
} as const;

/** `read`: the data of GET requests by path. */
export interface Facts {
  readonly id: number;
  readonly key: string;
  readonly limitedKey: string;
  /** Time of the last request, in epoch ms. */
  readonly endedAt: number;
  readonly read: Readonly<Record<string, any>>;
}

const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
const reads = [
  '/api/auth/me',
  '/api/credits',
  '/api/usage?group=key',
  '/api/keys',
  '/api/subscription',
  '/api/webhooks',
  '/api/agents',
  '/api/requests',
  '/api/alerts',
];

async function make(folder: string): Promise<void> {
  const { startsAt, email, password, unconfirmed } = facts;
  const target = await mkdtemp(join(tmpdir(), 'previous-'));
  const data = join(target, 'data');
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(data, 'clock.json'), JSON.stringify({ offsetMs: Date.parse(startsAt) - Date.now() }));
  const args = ['bin/local.ts', '--port', '0', '--data', data];
  const service = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise: started, resolve } = Promise.withResolvers<string>();
  let out = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    const origin = /Inbox\s+(http:\S+)\/_local/.exec(out)?.[1];
    if (origin && out.includes('Ctrl-C')) resolve(origin);
  });
  const origin = await started;
  let credential: Record<string, string> = {};

  async function call(method: string, path: string, body?: unknown, headers = credential) {
    const response = await fetch(origin + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { data: result, ...rest } = (await response.json()) as { data: any };
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status} ${JSON.stringify(rest)}`);
    const cookie = response.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
    return { data: result, cookie };
  }

  async function tokenTo(address: string): Promise<string> {
    for (;;) {
      const mails = (await (await fetch(`${origin}/_local/mail`)).json()) as { to: string[]; text: string }[];
      const token = /token=(\w+)/.exec(mails.find(({ to }) => to.includes(address))?.text ?? '')?.[1];
      if (token) return token;
      await sleep(100);
    }
  }

  await call('POST', '/api/auth/register', { email: unconfirmed, name: 'Ben', password_hash: password });
  const registered = await call('POST', '/api/auth/register', { email, name: 'Ada', password_hash: password });
  credential = { cookie: registered.cookie };
  await call('GET', `/api/auth/confirm?token=${await tokenTo(email)}`);
  const { key } = (await call('POST', '/api/keys', { name: 'production' })).data;
  const limit = { credits: 100, period: 'day' };
  const limited = await call('POST', '/api/keys', { name: 'limited', limit, models: ['svc-1'] });
  const revoked = await call('POST', '/api/keys', { name: 'revoked' });
  await call('DELETE', `/api/keys/${revoked.data.id}`);
  await call('POST', '/api/subscription/create', { planId: 'smm_pass', billingCycle: 'monthly' });
  for (const used of [key, key, limited.data.key])
    await call('POST', '/v1/chat/completions', chat, { authorization: `Bearer ${used}` });
  await call('PUT', '/api/alerts', { rules: [{ kind: 'balance_below', value: 5 }], channels: ['email'] });
  const webhook = { url: 'https://example.com/webhooks', events: ['credits.exhausted'], description: 'billing' };
  await call('POST', '/api/webhooks', webhook);
  const agent = await call('POST', '/api/agents', { name: 'Concierge', model: 'svc-1', instructions: 'Be brief.' });
  const path = `/api/agents/${agent.data.id}`;
  await call('POST', `${path}/documents`, { name: 'Handbook', text: 'Breakfast is served from seven to ten.' });
  await sleep(5000);
  const conversation = await call('POST', `${path}/conversations`, {});
  await call('POST', `${path}/conversations/${conversation.data.id}/messages`, { content: 'When is breakfast?' });
  await sleep(5000);
  const read: Record<string, unknown> = {};
  for (const one of [...reads, `${path}/documents`, `${path}/conversations`]) read[one] = (await call('GET', one)).data;
  const { now } = (await (await fetch(`${origin}/_local/clock`)).json()) as { now: string };
  service.kill('SIGTERM');
  await new Promise((end) => service.on('close', end));
  const found: Facts = { id: registered.data.id, key, limitedKey: limited.data.key, endedAt: Date.parse(now), read };
  await writeFile(join(target, 'facts.json'), JSON.stringify(found, null, 2));
  execFileSync('tar', ['-C', target, '-czf', join(import.meta.dirname, 'data.tar.gz'), 'data', 'facts.json']);
  console.log(`${target} was made.`);
}

const [, command = '', folder] = process.argv;
if (folder !== undefined && command === import.meta.filename) await make(folder);
