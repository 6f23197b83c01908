import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { chat, useTestService } from '#test/service/service.ts';
import { until } from './until.ts';

const service = useTestService();
let key: string;

test('a new user registers, confirms the emailed link, creates a key, chats, and sees the charge', async () => {
  const { email, cookie, id } = await service.registered();
  const token = await service.mailedToken(email);
  const early = await service.call('POST', '/api/keys', { cookie, body: { name: 'early' } });
  expect([early.status, early.body.message]).toEqual([403, 'ACCOUNT_NOT_CONFIRMED']);

  const confirmed = await service.call('GET', `/api/auth/confirm?token=${token}`, { cookie });
  expect(confirmed.body).toEqual({ message: 'ACCOUNT_CONFIRMED', error: false, data: null, status: 200 });
  const me = await service.call('GET', '/api/auth/me', { cookie });
  expect(me.body.data).toMatchObject({ id, email, role: 'viewer' });

  const made = await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } });
  key = made.body.data.key;
  const response = await service.call('POST', '/v1/chat/completions', { key, body: chat('Write about rivers') });
  expect([response.status, response.body.message]).toEqual([200, 'SUCCESS']);
  expect(response.body.data.choices[0].message).toMatchObject({
    role: 'assistant',
    content: expect.stringMatching(/\w/),
  });
  expect(response.headers.get('x-credits-charged')).toBe('1');

  const credits = await until(
    () => service.call('GET', '/api/credits', { key }),
    ({ body }) => body.data.entries.length === 2,
  );
  expect(credits.body.data).toMatchObject({ balance: 99, held: 0 });
  expect(credits.body.data.entries).toMatchObject([
    { type: 'charge', service: 'chat', credits: -1, balance: 99 },
    { type: 'grant', credits: 100, balance: 100 },
  ]);
});

test('every other priced route succeeds and is charged', async () => {
  const spend = async (path: string, body: object) => {
    const { status, headers } = await service.call('POST', path, { key, body });
    return [status, Number(headers.get('x-credits-charged')) > 0];
  };
  expect(await spend('/v1/completions', { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 8 })).toEqual([
    200,
    true,
  ]);
  expect(await spend('/v1/embeddings', { model: 'svc-embed', input: ['a', 'b'] })).toEqual([200, true]);
  const translation = { text: 'Good morning', sourceLanguage: 'en', targetLanguage: 'de' };
  expect(await spend('/api/ai/translate', translation)).toEqual([200, true]);
  const analysis = { text: 'Ada likes Oslo.', analyses: ['sentiment', 'pii'] };
  expect(await spend('/api/ai/analyze', analysis)).toEqual([200, true]);
  expect(await spend('/openai/v1/chat/completions', chat('Hello'))).toEqual([200, true]);
});

test('a repeated request with an Idempotency-Key is replayed and charged once', async () => {
  const headers = { 'idempotency-key': 'deployed-once' };
  const send = () => service.call('POST', '/v1/chat/completions', { key, body: chat('Once'), headers });
  const before = await service.call('GET', '/api/credits', { key });
  const [first, again] = [await send(), await send()];
  expect(again.body).toEqual(first.body);
  const after = await service.call('GET', '/api/credits', { key });
  expect(before.body.data.balance - after.body.data.balance).toBe(1);
});

describe('an invalid request returns an enveloped error', () => {
  const refusals: [string, string, string, object, number, string][] = [
    ['no key', 'POST', '/v1/chat/completions', { body: chat() }, 401, 'INVALID_API_KEY'],
    ['a foreign key', 'POST', '/v1/chat/completions', { body: chat(), key: 'tai_nobody' }, 401, 'INVALID_API_KEY'],
    ['an unknown path', 'GET', '/api/nowhere', {}, 404, 'NOT_FOUND'],
    ['another method', 'DELETE', '/v1/models', {}, 405, 'METHOD_NOT_ALLOWED'],
  ];
  test.each(refusals)('%s', async (_, method, path, options, status, message) => {
    const response = await service.call(method, path, options);
    expect(response.body).toMatchObject({ message, error: true, data: null, status });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toMatch(/^\w+$/);
  });

  test('for a bad body, a model above the plan, and a revoked key', async () => {
    const send = (body: unknown) => service.call('POST', '/v1/chat/completions', { key, body });
    expect((await send({ model: 'svc-1' })).status).toBe(400);
    expect((await send({ ...chat(), model: 'svc-1-32k' })).status).toBe(403);
    const person = await service.person();
    await service.call('DELETE', `/api/keys/${person.keyId}`, { cookie: person.cookie });
    const revoked = await service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    expect(revoked.body.message).toBe('INVALID_API_KEY');
  });
});

test('an account is registered for the test of the update', async () => {
  const kept = { email: 'kept@example.com', name: 'Kept', password_hash: 'a quiet river bank' };
  const { status } = await service.call('POST', '/api/auth/register', { body: kept });
  expect(status).toBe(201);
});

test('the smoke test of the pipeline passes', async () => {
  const { key: own } = await service.person();
  const script = ['bin/smoke.ts', `${service.origin}/api`, `${service.origin}/v1`];
  const printed = execFileSync('node', script, { encoding: 'utf8', env: { ...process.env, SMOKE_KEY: own } });
  expect(printed).toContain(`200 SUCCESS  POST ${service.origin}/v1/chat/completions`);
});
