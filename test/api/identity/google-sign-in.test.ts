import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import type { CallOptions } from '#test/service/api-request.ts';
import { type ApiResponse, code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let people = 0;
const newEmail = () => `google-${++people}@example.com`;

const google = (token: string, options: CallOptions = {}) =>
  service.call('POST', '/api/auth/google', { body: { token }, ...options });
const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });
const login = (email: string, password: string) =>
  service.call('POST', '/api/auth/login', { body: { email, password } });
const codesOf = (responses: ApiResponse[]) => new Set(responses.map(code));

describe('sign-in with Google', () => {
  const localToken = async (email: string, name = 'Ada Lovelace'): Promise<string> =>
    (await service.post('/_local/identity-token', { email, name })).token;

  it('makes a confirmed account at the first time, opens a session, and knows the person the next time', async () => {
    const email = newEmail();
    const first = await google(await localToken(email));
    expect(first.body).toEqual({
      message: 'LOGIN_SUCCESS',
      error: false,
      status: 200,
      data: { id: expect.any(Number), email, name: 'Ada Lovelace', role: 'viewer' },
    });
    expect(first.headers.getSetCookie().filter((cookie) => cookie.startsWith('session='))).toEqual([
      expect.stringMatching(/^session=tas_\w{58}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
    const cookie = cookieOf(first);
    expect((await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } })).status).toBe(201);
    const again = await google(await localToken(email));
    expect([again.status, again.body.data.id]).toEqual([200, first.body.data.id]);
    expect((await me(cookieOf(again))).body.data).toMatchObject({ id: first.body.data.id, isSubscribe: false });
  });

  it('takes each token once, also when it comes many times concurrently', async () => {
    const token = await localToken(newEmail());
    const responses = await Promise.all(times(20, () => google(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([...codesOf(responses)].toSorted()).toEqual(['200 LOGIN_SUCCESS', '401 INVALID_IDENTITY_TOKEN']);
    expect(code(await google(token))).toBe('401 INVALID_IDENTITY_TOKEN');
  });

  it('makes one account when a person signs in for the first time many times concurrently', async () => {
    const email = newEmail();
    const tokens = await Promise.all(times(20, () => localToken(email)));
    const responses = await Promise.all(tokens.map((token) => google(token)));
    expect([...codesOf(responses)]).toEqual(['200 LOGIN_SUCCESS']);
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
    const users = (await rowsOf('accounts')).filter((row) => row['sk'] === 'user' && row['email'] === email);
    expect(users).toHaveLength(1);
  });

  it('stores nothing that the token does not stand for: role and id are ours', async () => {
    const response = await service.call('POST', '/api/auth/google', {
      body: { token: await localToken(newEmail()), role: 'operator', id: 7, email: 'other@example.com' },
    });
    expect(response.body.data).toMatchObject({ role: 'viewer', email: expect.stringMatching(/^google-/) });
    expect(response.body.data.id).not.toBe(7);
  });

  describe('for an address that has a password account', () => {
    it('requires a confirmed account to link first, and signs in to the same account ever after', async () => {
      const { email, password, id, cookie } = await service.person();
      const token = await localToken(email);
      expect(code(await google(token))).toBe('409 IDENTITY_NOT_LINKED');
      const stranger = await service.person();
      expect(code(await google(token, { cookie: stranger.cookie }))).toBe('409 IDENTITY_NOT_LINKED');
      const linked = await google(token, { cookie });
      expect([code(linked), linked.body.data.id]).toEqual(['200 LOGIN_SUCCESS', id]);
      const alone = await google(await localToken(email));
      expect([code(alone), alone.body.data.id]).toEqual(['200 LOGIN_SUCCESS', id]);
      expect(code(await login(email, password))).toBe('200 LOGIN_SUCCESS');
    });

    it('links by no key, and by no session that has ended', async () => {
      const { email, key, cookie } = await service.person();
      await service.call('POST', '/api/auth/logout', { cookie });
      for (const options of [{ key }, { cookie }, { key: 'junk' }])
        expect(code(await google(await localToken(email), options))).toBe('409 IDENTITY_NOT_LINKED');
    });

    it('gives an unconfirmed account to its owner: whoever registered with a foreign address keeps no way in', async () => {
      const { email, password, id, cookie } = await service.registered();
      const confirmation = await service.mailedToken(email);
      const owner = await google(await localToken(email, 'The owner'));
      expect([code(owner), owner.body.data.id, owner.body.data.name]).toEqual(['200 LOGIN_SUCCESS', id, 'The owner']);
      expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
      expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
      const confirm = await service.call('GET', `/api/auth/confirm?token=${confirmation}`, { cookie: cookieOf(owner) });
      expect(code(confirm)).toBe('400 INVALID_TOKEN');
      const made = await service.call('POST', '/api/keys', { cookie: cookieOf(owner), body: { name: 'mine' } });
      expect(made.status).toBe(201);
      expect((await google(await localToken(email))).body.data.id).toBe(id);
    });

    it('gives an unconfirmed account to its owner once when many tokens come concurrently', async () => {
      const { email, id } = await service.registered();
      const tokens = await Promise.all(times(10, () => localToken(email)));
      const responses = await Promise.all(tokens.map((token) => google(token)));
      expect([...codesOf(responses)]).toEqual(['200 LOGIN_SUCCESS']);
      expect(new Set(responses.map(({ body }) => body.data.id))).toEqual(new Set([id]));
    });
  });

  it('rejects every password for an account without one', async () => {
    const email = newEmail();
    const cookie = cookieOf(await google(await localToken(email)));
    expect(code(await login(email, 'a quiet river bank'))).toBe('401 INVALID_CREDENTIALS');
    const change = { currentPassword: 'a quiet river bank', newPassword: 'another river bank' };
    const changed = await service.call('POST', '/api/auth/change-password', { cookie, body: change });
    expect(code(changed)).toBe('401 INVALID_CREDENTIALS');
    const body = { email, identityToken: await localToken(email) };
    expect(code(await service.call('POST', '/api/auth/delete-account', { cookie, body }))).toBe('200 SUCCESS');
    expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
    const fresh = await google(await localToken(email));
    expect(code(fresh)).toBe('200 LOGIN_SUCCESS');
  });
});
