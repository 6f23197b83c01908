import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { codeAt, stepAt } from '#domain/accounts/second-factor.ts';
import { given, secret, secrets } from '#test/attacks/planted-secrets.ts';
import { secretBytes } from '#test/requests/accounts/second-factor.ts';
import { allMoods, useWatchedService } from '#test/service/watched/watched-service.ts';

const watched = useWatchedService();
const { met, leaked, send, local, auth, chat, mailedToken, identityToken, set, faults } = watched;

describe('secrets in output, logs, metrics and errors', () => {
  let cookie: string;
  let key: string;
  let id: number;

  it('never appear after successful requests', async () => {
    const email = secret('email');
    const registered = await auth('register', { email, name: 'Ada', password_hash: secret('password_hash') });
    id = registered.data.id;
    secrets.set('confirmation token', await mailedToken('tac_'));
    cookie = `session=${registered.session}`;
    await send('GET', `/api/auth/confirm?token=${secret('confirmation token')}`, undefined, { cookie });
    await auth('forgot-password', { email });
    secrets.set('reset token', await mailedToken('tar_'));
    await auth('reset-password', { token: secret('reset token'), newPassword: secret('newPassword') });
    const login = await auth('login', { email, password: secret('newPassword') });
    const change = { currentPassword: secret('newPassword'), newPassword: secret('password') };
    const changed = await auth('change-password', change, { cookie: `session=${login.session}` });
    secrets.set('session', changed.session!);
    cookie = `session=${changed.session}`;
    const another = { email: 'another-place@example.com', password: secret('password') };
    await auth('email-change', another, { cookie });
    secrets.set('token of a change of address', await mailedToken('tae_'));
    secrets.set('Google token', await identityToken());
    const linked = await auth('google', { token: secret('Google token') }, { cookie });
    secrets.set('session', linked.session!);
    cookie = `session=${linked.session}`;
    key = (await send('POST', '/api/keys', { name: 'first' }, { cookie })).data.key;
    secrets.set('key', key);
    expect((await chat({ key })).data.choices[0].message.content).toBe(secret('completion'));
    await send('GET', '/api/credits/me', undefined, { key: cookie.replace('session=', '') });
    expect(new Set(met.keys())).toEqual(new Set([200, 201]));
    expect(secrets.size).toBe(13);
  });

  it('never appear while a second factor is turned on, required and turned off', async () => {
    const app = (await auth('totp/setup', {}, { cookie })).data.secret;
    secrets.set('secret of an authenticator app', app);
    const body = { code: codeAt(secretBytes(app), stepAt(Date.now())) };
    const confirmed = await auth('totp/confirm', body, { cookie });
    const [recoveryCode, other] = confirmed.data.recoveryCodes;
    secrets.set('recovery code', recoveryCode);
    await auth('login', { email: secret('email'), password: secret('password') });
    await auth('second-factor', { code: app, recoveryCode });
    cookie = `session=${confirmed.session}`;
    const removed = await send('DELETE', '/api/auth/totp', { recoveryCode: other }, { cookie });
    secrets.set('session', removed.session!);
    cookie = `session=${removed.session}`;
    expect(secrets.size).toBe(15);
  });

  it('never appear after invalid and refused requests', async () => {
    const email = secret('email');
    const [password, prompt] = [secret('password'), secret('prompt')];
    const all = Object.fromEntries([...secrets].map(([name, value]) => [name, value]));
    // 400, 413 and 415: all secrets in the body, in fields of the wrong type, and in invalid JSON.
    for (const wrong of [all, [all], `{"password": "${password}", ${prompt}`, JSON.stringify(all).repeat(2)]) {
      for (const path of ['register', 'login', 'google', 'forgot-password', 'reset-password']) await auth(path, wrong);
      await send('POST', '/v1/chat/completions', wrong, { key });
    }
    await auth('register', { email: password, name: [all], password_hash: password });
    await auth('register', { email, name: 'Ada', password_hash: { password } });
    await auth('reset-password', { token: secret('confirmation token'), newPassword: password });
    await auth('reset-password', { token: secret('reset token'), newPassword: password });
    const change = secret('token of a change of address');
    for (const token of [change, `${change}x`, secret('reset token')])
      await auth('email-change/decision', { token, decision: password });
    await auth('email-change/decision', { token: secret('reset token'), decision: 'confirm' });
    await chat({ key }, { model: prompt, temperature: prompt });
    await chat({ key }, { max_tokens: 9999 });
    await send('GET', `/api/auth/confirm?token=${secret('reset token')}`, undefined, { cookie });
    await auth('login', JSON.stringify(all), { headers: { 'content-type': 'text/plain' } });
    await auth('login', JSON.stringify(all) + ' '.repeat(1_100_000));
    // 401, 403, 404, 405, 409, 402, 429.
    const junk = secret('junk Authorization');
    for (const authorization of [junk, `Bearer ${junk}`, `Basic ${junk}`, `Bearer ${key}x`, `Bearer ${key}, ${junk}`])
      await send('GET', '/v1/models', undefined, { headers: { authorization } });
    await send('GET', `/v1/models?key=${key}`);
    await auth('google', { token: secret('Google token') });
    await auth('google', { token: `${secret('Google token').slice(0, -9)}AAAAAAAAA` });
    await auth('register', { email, name: 'Ada', password_hash: secret('password_hash') });
    await send('POST', '/api/keys', { name: 'by key' }, { key });
    await auth('login', { email, password }, { headers: { origin: 'https://evil.example' } });
    await chat({ key }, { model: 'svc-1-32k' });
    await send('PUT', '/api/auth/login', { email, password });
    await send('POST', '/api/nothing', all);
    await auth('change-password', { currentPassword: secret('newPassword'), newPassword: password }, { cookie });
    for (let guess = 0; guess < 5; guess++) await auth('login', { email, password: secret('newPassword') });
    await auth('login', { email, password });
    await set('meters', { a: id }, 'c', 0);
    await chat({ key });
    expect([...met.keys()]).toEqual(expect.arrayContaining([400, 401, 402, 403, 404, 405, 409, 413, 415, 429]));
  });

  it('never appear after failures of the model, the email service or the database', async () => {
    await set('meters', { a: id }, 'c', 1_000_000_000);
    await local('clock', { advance: 'PT2M' });
    for (const mood of allMoods) {
      watched.model.become(mood);
      await chat({ key });
    }
    watched.model.become('responding');
    const email = secret('email');
    for (const fault of ['unavailable', 'throttle', 'lost-reply'] as const) {
      faults.order({ target: 'dynamodb', fault, count: 10_000 });
      const rounds = [
        () => chat({ key }),
        () => auth('login', { email, password: secret('password') }),
        () => auth('register', { email: `x-${email}`, name: 'Ada', password_hash: secret('password_hash') }),
        () => send('GET', '/api/auth/me', undefined, { cookie }),
      ];
      await Promise.all(rounds.map((round) => round()));
    }
    faults.order({ target: 'dynamodb', fault: 'none', count: 1 });
    for (const fault of ['reject', 'throttle', 'unavailable']) {
      await local('faults', { target: 'ses', fault, count: 5 });
      await auth('forgot-password', { email });
    }
    expect([...met.keys()]).toEqual(expect.arrayContaining([502, 503]));
  });

  it('never appear after unexpected errors', async () => {
    const email = secret('email');
    const failures = async () => {
      const { session } = await auth('login', { email, password: secret('password') });
      await send('GET', '/api/auth/me', undefined, { cookie });
      await send('GET', '/api/auth/me', undefined, { cookie: `session=${session}` });
      await auth('forgot-password', { email });
      await auth('google', { token: await identityToken() });
      await chat({ key });
      await send('GET', '/api/credits/me', undefined, { key });
    };
    // An invalid row that the code never writes, with the password's hash and the address next to the invalid field.
    await set('accounts', { pk: `user#${id}`, sk: 'user' }, 'role', 'wizard');
    await failures();
    await set('accounts', { pk: `user#${id}`, sk: 'user' }, 'role', 'viewer');
    await set('accounts', { pk: `user#${id}`, sk: 'user' }, 'createdAt', secret('password'));
    await failures();
    await set('meters', { a: id }, 'r', 'nine');
    await failures();
    // An email that SES refuses with an error that quotes its address, and an email without its text.
    await auth('register', {
      email: `${secret('email').split('@')[0]}${'x'.repeat(60)}@example.com`,
      name: 'Ada',
      password_hash: secret('password_hash'),
    });
    await set('accounts', { pk: 'mail#broken', sk: 'mail' }, 'outbox', 'broken');
    await set('accounts', { pk: 'mail#broken', sk: 'mail' }, 'to', email);
    for (const { name } of [tables.ledger, tables.meters])
      await watched.database.client.send(new DeleteTableCommand({ TableName: name }));
    await failures();
    expect(met.get(500)).toBeGreaterThan(5);
  });

  it('never appear in the whole output of the process or in any returned error', async () => {
    watched.command.kill('SIGTERM');
    await watched.command.ended;
    const printed = watched.command.out() + watched.command.err();
    // Everything was on: request lines, metrics, operator notices, and the access log.
    expect(printed).toContain('"message":"request"');
    expect(printed).toContain('"_aws":{');
    expect(printed).toContain('unforeseen error');
    expect(printed).toMatch(/"message":"a dependency failed".*"model":"svc-1".*"message":"ModelError 500"/);
    expect(printed).toContain('a stream record failed');
    expect(printed).toMatch(/^POST \/api\/auth\/login 401 \d+ ms$/m);
    const lines = printed.split('\n').filter((line) => given(line).length > 0);
    expect(lines.map((line) => `${given(line).join()}: ${line.slice(0, 300)}`)).toEqual([]);
    expect(printed).not.toContain('$scrypt$');
    expect([...leaked]).toEqual([]);
  });
});
