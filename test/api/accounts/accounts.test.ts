import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { authCalls, wrong } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { chat, code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();

const register = (body: unknown) => service.call('POST', '/api/auth/register', { body });

describe('registration', () => {
  it('returns 201 with the user, opens a session and emails a confirmation link', async () => {
    const email = 'Ada@Example.com';
    const person = { email, name: 'Ada', password_hash: 'a quiet river bank' };
    const response = await register({ ...person, role: 'operator', id: 7 });
    expect(response.body).toEqual({
      message: 'CONFIRMATION_LINK_SENT',
      error: false,
      status: 201,
      data: { id: expect.any(Number), email: 'ada@example.com', name: 'Ada', role: 'viewer' },
    });
    expect(response.body.data.id).not.toBe(7);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^session=tas_\w{58}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect(await service.mailedToken('ada@example.com')).toMatch(/^tac_\w{58}$/);
    expect((await me(cookieOf(response))).body.data).toEqual({
      ...response.body.data,
      isSubscribe: false,
      isConfirmed: false,
      hasPassword: true,
      hasSecondFactor: false,
      emailChange: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('creates one account for concurrent registrations with the same address', async () => {
    const body = { email: 'twin@example.com', name: 'Twin', password_hash: 'a quiet river bank' };
    const responses = await Promise.all(Array.from({ length: 10 }, () => register(body)));
    const codes = responses.map(({ body: { message } }) => message).toSorted();
    expect(codes).toEqual(['CONFIRMATION_LINK_SENT', ...Array.from({ length: 9 }, () => 'EMAIL_ALREADY_REGISTERED')]);
    expect((await register({ ...body, email: 'TWIN@example.com' })).status).toBe(409);
  });

  it.each([
    [{ name: 'A', password_hash: 'long enough' }, 'email is required.'],
    [{ email: 'nobody', name: 'A', password_hash: 'long enough' }, 'email must be an email address.'],
    [{ email: 'a@b.co', name: '', password_hash: 'long enough' }, 'name must not be empty.'],
    [{ email: 'a@b.co', name: 'A', password_hash: 'short' }, 'password_hash must have at least 8 characters.'],
    [{ email: 'a@b.co', name: 'A', password_hash: 'x'.repeat(129) }, 'password_hash must have at most 128 characters.'],
    [{ email: 'a@b.co', name: 'A', password_hash: '🗝🐎🔋🧷' }, 'password_hash must have at least 8 characters.'],
    [[], 'The body must be a JSON object.'],
  ])('refuses %j with the reason', async (body, detail) => {
    const refused = (await register(body)).body;
    expect(refused).toEqual({ message: 'INVALID_FORMAT', error: true, data: null, status: 400, detail });
  });

  it.each([
    ["o'neil@example.com", "o'neil@example.com", "O'NEIL@example.COM"],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ADA@XN--bcher-kva.example'],
  ])('registers %s, sends the email to %s, and accepts a login as %s', async (email, stored, other) => {
    const body = { email, name: 'Ada', password_hash: 'a quiet river bank' };
    expect((await register(body)).body.data.email).toBe(stored);
    expect(await service.mailedToken(stored)).toMatch(/^tac_/);
    expect((await register({ ...body, email: other })).body.message).toBe('EMAIL_ALREADY_REGISTERED');
    expect(code(await login(other, body.password_hash))).toBe('200 LOGIN_SUCCESS');
  });

  it('sends each email once after an outage of SES', async () => {
    await service.post('/_local/faults', { target: 'ses', fault: 'unavailable', count: 6 });
    const { email } = await service.registered();
    await service.mailedToken(email);
    await service.settled();
    expect(await mailsTo(service, email)).toHaveLength(1);
  });
});

describe('login', () => {
  it('returns the user and a new session, usable as a cookie or bearer token, for an address in any case', async () => {
    const { email, password, id } = await service.registered();
    const response = await login(email.toUpperCase(), password);
    expect(response.body).toMatchObject({ message: 'LOGIN_SUCCESS', status: 200 });
    expect(response.body.data).toEqual({ id, email, name: expect.any(String), role: 'viewer', isSubscribe: false });
    const cookie = cookieOf(response);
    expect(code(await me(cookie))).toBe('200 SUCCESS');
    const asBearer = await service.call('GET', '/api/auth/me', { key: cookie.replace(/^.*=/, '') });
    expect(code(asBearer)).toBe('200 SUCCESS');
  });

  it('returns the same response for an unknown address and a wrong password', async () => {
    const { email } = await service.registered();
    const [known, unknown] = [await guess(email), await guess('stranger@example.com')];
    expect(code(known)).toBe(wrong);
    expect(unknown.body).toEqual(known.body);
    expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()]);
  });
});

describe('confirmation', () => {
  const confirm = (token: string, cookie: string) =>
    service.call('GET', `/api/auth/confirm?token=${token}`, { cookie });

  it('allows the account to create keys, and can be repeated by the same account', async () => {
    const { email, cookie } = await service.registered();
    const refused = await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } });
    expect([refused.status, refused.body.message]).toEqual([403, 'ACCOUNT_NOT_CONFIRMED']);
    const token = await service.mailedToken(email);
    for (const _ of [1, 2]) {
      const response = await confirm(token, cookie);
      expect(response.body).toEqual({ message: 'ACCOUNT_CONFIRMED', error: false, data: null, status: 200 });
    }
    expect((await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } })).status).toBe(201);
    const resend = await service.call('POST', '/api/auth/resend-confirmation', { cookie });
    expect([resend.status, resend.body.message]).toEqual([409, 'INVALID_STATE']);
  });

  it('accepts only the newest token, only from its own account, for 24 hours', async () => {
    const [one, other] = [await service.registered(), await service.registered()];
    const first = await service.mailedToken(one.email);
    const resend = await service.call('POST', '/api/auth/resend-confirmation', { cookie: one.cookie });
    expect(resend.body).toMatchObject({ message: 'CONFIRMATION_LINK_SENT', data: null, status: 200 });
    const second = await service.mailedToken(one.email, first);
    const refusals = [
      await confirm(first, one.cookie),
      await confirm(second, other.cookie),
      await confirm('nonsense', one.cookie),
      await confirm(one.cookie.replace('session=', ''), one.cookie),
    ];
    expect(refusals.map(({ body }) => body.message)).toEqual(Array.from({ length: 4 }, () => 'INVALID_TOKEN'));
    await service.post('/_local/clock', { advance: 'PT23H59M' });
    const signedIn = await login(one.email, one.password);
    expect((await confirm(second, cookieOf(signedIn))).status).toBe(200);
    const stale = await service.registered();
    const token = await service.mailedToken(stale.email);
    await service.post('/_local/clock', { advance: 'P1D' });
    const late = await login(stale.email, stale.password);
    expect((await confirm(token, cookieOf(late))).body.message).toBe('INVALID_TOKEN');
  });
});

const { post, me, login, guess, reset, resetToken, advance, identityToken } = authCalls(() => service);

describe('a name change', () => {
  it('changes the name and nothing else, even if the body has other fields', async () => {
    const { email, id, cookie } = await service.registered();
    const body = { name: 'Grace', role: 'operator', id: 7, email: 'other@example.com', isSubscribe: true, quota: 5 };
    const response = await service.call('PATCH', '/api/auth/me', { cookie, body });
    expect(response.body.data).toEqual({ id, email, name: 'Grace', role: 'viewer' });
    expect((await me(cookie)).body.data).toMatchObject({ ...response.body.data, isSubscribe: false });
    const row = (await rowsOf('accounts')).find((stored) => stored['sk'] === 'user' && stored['id'] === id);
    expect(row).not.toHaveProperty('isSubscribe');
    expect(row).not.toHaveProperty('quota');
  });
});

describe('the language of the account', () => {
  const languageOf = async (cookie: string) => (await me(cookie)).body.data.language;
  const change = (cookie: string, body: object) => service.call('PATCH', '/api/auth/me', { cookie, body });

  it('is that of the registration, and changes without the name', async () => {
    const email = 'sprache@example.com';
    const cookie = cookieOf(
      await register({ email, name: 'Ada', password_hash: 'a quiet river bank', language: 'de' }),
    );
    expect(await languageOf(cookie)).toBe('de');
    expect((await change(cookie, { language: 'ja' })).body.data).toMatchObject({ email, name: 'Ada' });
    expect(await languageOf(cookie)).toBe('ja');
    await change(cookie, { name: 'Grace' });
    expect((await me(cookie)).body.data).toMatchObject({ name: 'Grace', language: 'ja' });
    const { items } = (await service.call('GET', '/api/account/export', { cookie })).body.data;
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'account', data: expect.objectContaining({ language: 'ja' }) }),
    );
  });

  it('is that of the first sign-in with Google, and later sign-ins do not change it', async () => {
    const email = 'idioma@example.com';
    const first = await post('google', { token: await identityToken(email), language: 'es' });
    expect(await languageOf(cookieOf(first))).toBe('es');
    const again = await post('google', { token: await identityToken(email), language: 'ar' });
    expect(await languageOf(cookieOf(again))).toBe('es');
  });

  it('follows an unconfirmed account to the owner of its address', async () => {
    const email = 'uebernahme@example.com';
    await register({ email, name: 'Mallory', password_hash: 'a quiet river bank', language: 'ja' });
    const owner = await post('google', { token: await identityToken(email), language: 'ar' });
    expect(await languageOf(cookieOf(owner))).toBe('ar');
    const other = 'andere@example.com';
    await register({ email: other, name: 'Mallory', password_hash: 'a quiet river bank', language: 'ja' });
    expect(await languageOf(cookieOf(await post('google', { token: await identityToken(other) })))).toBe(undefined);
  });

  it('is one of those of the dashboard', async () => {
    const { cookie } = await service.registered();
    const refused = await change(cookie, { language: 'fr' });
    expect([code(refused), refused.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'language must be one of: en, de, es, ja, ar.',
    ]);
    expect(code(await change(cookie, {}))).toBe('400 INVALID_FORMAT');
    expect(await languageOf(cookie)).toBe(undefined);
  });
});

describe('account deletion', () => {
  it('ends keys, sessions, links and sign-in immediately, and frees the address', async () => {
    const { email, password, cookie, key, id } = await service.person();
    const token = await resetToken(email);
    const another = await post('delete-account', { email: 'other@example.com', password }, cookie);
    expect(code(another)).toBe('400 INVALID_FORMAT');
    const gone = await post('delete-account', { email: email.toUpperCase(), password }, cookie);
    expect(gone.body).toEqual({ message: 'SUCCESS', error: false, data: null, status: 200 });
    expect(gone.headers.getSetCookie()[0]).toContain('session=; Path=/; Max-Age=0');
    const calls = [
      await service.call('GET', '/v1/models', { key }),
      await service.call('GET', '/api/credits/me', { key }),
      await me(cookie),
      await login(email, password),
      await reset(token),
    ];
    const ended = Array<string>(3).fill('401 INVALID_API_KEY');
    expect(calls.map(code)).toEqual([...ended, '401 INVALID_CREDENTIALS', '400 INVALID_TOKEN']);
    expect((await mailsTo(service, email))[0]?.subject).toBe('Your account was deleted');
    const again = await post('register', { email, name: 'Again', password_hash: 'a third river bank' });
    expect([again.status, again.body.data.id === id]).toEqual([201, false]);
    expect((await service.call('GET', '/v1/models', { key })).status).toBe(401);
  });

  it('keeps the data for 30 days, then deletes everything but the ledger', async () => {
    const { email, password, cookie, key, id } = await service.person();
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await post('delete-account', { email, password }, cookie);
    await mailsTo(service, email);
    const about = async (table: 'accounts' | 'meters' | 'ledger') =>
      (await rowsOf(table)).filter((row) => [email, String(id)].some((word) => JSON.stringify(row).includes(word)));
    await advance('P29DT23H');
    expect(await about('accounts')).not.toEqual([]);
    expect(await about('meters')).not.toEqual([]);
    await advance('PT2H');
    expect(await about('accounts')).toEqual([]);
    expect(await about('meters')).toEqual([]);
    const ledger = await about('ledger');
    expect(ledger.map((row) => row['type'])).toEqual(expect.arrayContaining(['grant', 'charge']));
    expect(JSON.stringify(ledger)).not.toContain(email);
  });
});

const accept = (cookie: string, version: unknown) =>
  service.call('POST', '/api/auth/terms', { cookie, body: { version } });

describe('POST /api/auth/terms', () => {
  it('records the version with its time, and one audit event per acceptance', async () => {
    const { id, cookie } = await service.person();
    const before = Date.now();
    expect((await accept(cookie, 1)).status).toBe(200);
    const user = (await rowsOf('accounts')).find(({ pk, sk }) => pk === `user#${id}` && sk === 'user');
    expect(user?.['terms']).toEqual({ version: 1, at: expect.any(Number) });
    expect((await accept(cookie, 1)).status).toBe(200);
    const events = (await rowsOf('audit')).filter(({ accountId, pk }) => accountId === id && pk !== 'all');
    expect(events.map(({ action, before: from, after, by }) => ({ action, from, after, by }))).toEqual([
      { action: 'accept_terms', from: {}, after: { termsVersion: 1 } },
      { action: 'accept_terms', from: { termsVersion: 1 }, after: { termsVersion: 1 } },
    ]);
    for (const { at } of events) expect(at).toBeGreaterThanOrEqual(before);
  });

  it.each([
    [2, 409, 'The current version of the terms is 1. Read it first.'],
    ['1', 400, undefined],
    [0, 400, undefined],
  ])('refuses the version %o with %i', async (version, status, detail) => {
    const { cookie } = await service.person();
    const { status: found, body } = await accept(cookie, version);
    expect([found, detail ?? body.detail]).toEqual([status, body.detail]);
  });

  it('requires a session, and shows no terms if the offer has none', async () => {
    const { key, cookie } = await service.person();
    expect((await service.call('POST', '/api/auth/terms', { key, body: { version: 1 } })).status).toBe(403);
    expect((await service.call('GET', '/api/auth/me', { cookie })).body.data).not.toHaveProperty('terms');
  });
});
