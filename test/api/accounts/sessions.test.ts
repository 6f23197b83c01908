import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { type ApiResponse, code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });
const list = async (cookie: string) => (await service.call('GET', '/api/auth/sessions', { cookie })).body.data;
const end = (cookie: string, id: string) => service.call('DELETE', `/api/auth/sessions/${id}`, { cookie });
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });

async function login({ email, password }: { email: string; password: string }): Promise<string> {
  const response = await service.call('POST', '/api/auth/login', { body: { email, password } });
  expect(code(response)).toBe('200 LOGIN_SUCCESS');
  return cookieOf(response);
}

async function googleLogin(email: string): Promise<ApiResponse> {
  const { token } = await service.post('/_local/identity-token', { email, name: 'Ada' });
  return service.call('POST', '/api/auth/google', { body: { token } });
}

describe('sessions', () => {
  it('are found beside a cookie that another service of this machine has set by the same name', async () => {
    const { cookie } = await service.registered();
    for (const cookies of [`session=theirs; ${cookie}`, `${cookie}; session=theirs`])
      expect(code(await me(cookies))).toBe('200 SUCCESS');
  });

  it('are listed newest use first, and show which one makes the request', async () => {
    const somebody = await service.registered();
    await advance('PT6M');
    const second = await login(somebody);
    await advance('PT6M');
    await me(somebody.cookie);
    const [first, other, ...rest] = await list(second);
    expect(rest).toEqual([]);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const here = { browser: 'Node.js', system: null, country: null, isLocal: true };
    const shown = { id: expect.any(String), ...here, createdAt: instant, lastSeenAt: instant, expiresAt: instant };
    expect(first).toEqual({ ...shown, current: true });
    expect(other).toEqual({ ...shown, current: false });
    expect(Date.parse(first.expiresAt) - Date.parse(first.createdAt)).toBe(30 * 86_400_000);
    const seenFromTheOther = await list(somebody.cookie);
    expect(seenFromTheOther.find(({ current }: { current: boolean }) => current).id).toBe(other.id);
  });

  it('are never shown: neither the list nor the database has what the cookie has', async () => {
    const { cookie } = await service.registered();
    const value = cookie.replace('session=', '');
    expect(JSON.stringify(await list(cookie))).not.toContain(value);
    expect(JSON.stringify(await rowsOf('accounts'))).not.toContain(value);
  });

  it('can be ended from elsewhere, with the next request', async () => {
    const somebody = await service.registered();
    const other = await login(somebody);
    const { id } = (await list(somebody.cookie)).find(({ current }: { current: boolean }) => !current);
    expect((await end(somebody.cookie, id)).body).toEqual({
      message: 'SUCCESS',
      error: false,
      data: null,
      status: 200,
    });
    expect([code(await me(other)), code(await me(somebody.cookie))]).toEqual(['401 INVALID_API_KEY', '200 SUCCESS']);
    expect(code(await end(somebody.cookie, id))).toBe('404 NOT_FOUND');
  });

  it('of another account are as unknown as sessions that never were', async () => {
    const [one, other] = [await service.registered(), await service.registered()];
    const [{ id }] = await list(other.cookie);
    const responses = [await end(one.cookie, id), await end(one.cookie, 'nothing'), await end(one.cookie, 'user')];
    expect(responses.map(code)).toEqual(times(3, () => '404 NOT_FOUND'));
    expect(responses[0]!.body).toEqual(responses[1]!.body);
    expect((await list(one.cookie)).map((session: { id: string }) => session.id)).not.toContain(id);
    expect(code(await me(other.cookie))).toBe('200 SUCCESS');
  });

  it('are at most 10, the oldest giving way', async () => {
    const email = 'many@example.com';
    const cookies: string[] = [];
    for (const _ of times(11, String)) cookies.push(cookieOf(await googleLogin(email)));
    const codes = await Promise.all(cookies.map(async (cookie) => code(await me(cookie))));
    expect(codes).toEqual(['401 INVALID_API_KEY', ...times(10, () => '200 SUCCESS')]);
    expect(await list(cookies.at(-1)!)).toHaveLength(10);
  });

  it('are at most 10 also when many are opened concurrently', async () => {
    const email = 'crowd@example.com';
    await googleLogin(email);
    const responses = await Promise.all(times(20, () => googleLogin(email)));
    const codes = await Promise.all(responses.map(async (response) => code(await me(cookieOf(response)))));
    expect(codes.filter((one) => one === '200 SUCCESS')).toHaveLength(10);
  });

  it('that have ended by themselves take no place of one that is in use', async () => {
    const email = 'busy@example.com';
    const cookie = cookieOf(await googleLogin(email));
    await Promise.all(times(9, () => googleLogin(email)));
    await advance('PT7H');
    expect(code(await me(cookie))).toBe('200 SUCCESS');
    await advance('PT7H');
    await googleLogin(email);
    expect(code(await me(cookie))).toBe('200 SUCCESS');
  });

  it('end after 12 hours without use', async () => {
    const somebody = await service.registered();
    await advance('PT11H59M');
    expect(code(await me(somebody.cookie))).toBe('200 SUCCESS');
    await advance('PT11H59M');
    expect(code(await me(somebody.cookie))).toBe('200 SUCCESS');
    await advance('PT12H');
    expect(code(await me(somebody.cookie))).toBe('401 INVALID_API_KEY');
    expect(await list(await login(somebody))).toHaveLength(1);
  });

  it('end after 30 days, even if they are used continuously', async () => {
    // A longer idle limit needs fewer moves of the clock.
    const restore = withEnvironment({ SESSION_IDLE_HOURS: '240' });
    const { cookie } = await service.registered();
    for (const _ of times(4, String)) {
      await advance('P7D');
      expect(code(await me(cookie))).toBe('200 SUCCESS');
    }
    await advance('P1DT23H');
    expect(code(await me(cookie))).toBe('200 SUCCESS');
    await advance('PT1H');
    expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
    restore();
  });

  it('end after the hours and days that the stage sets', async () => {
    const restore = withEnvironment({ SESSION_IDLE_HOURS: '2', SESSION_MAX_DAYS: '1' });
    const response = await service.call('POST', '/api/auth/login', { body: await service.registered() });
    expect(response.headers.getSetCookie().join()).toContain('Max-Age=86400;');
    await advance('PT1H59M');
    expect(code(await me(cookieOf(response)))).toBe('200 SUCCESS');
    await advance('PT2H');
    expect(code(await me(cookieOf(response)))).toBe('401 INVALID_API_KEY');
    restore();
  });

  it('store their last use at most once in five minutes', async () => {
    const { id, cookie } = await service.registered();
    const seen = new Set<unknown>();
    for (const _ of times(12, String)) {
      await advance('PT1M');
      expect(code(await me(cookie))).toBe('200 SUCCESS');
      const stored = await rowsOf('accounts');
      seen.add(
        stored.find((row) => row['pk'] === `user#${id}` && String(row['sk']).startsWith('session#'))?.['lastSeenAt'],
      );
    }
    expect(seen.size).toBe(3);
  });

  it('end immediately with logout, the cookie too; others go on', async () => {
    const somebody = await service.registered();
    const other = await login(somebody);
    const out = await service.call('POST', '/api/auth/logout', { cookie: other });
    expect(out.body).toEqual({ message: 'LOGOUT_SUCCESS', error: false, data: null, status: 200 });
    expect(out.headers.getSetCookie()).toEqual(['session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect([code(await me(other)), code(await me(somebody.cookie))]).toEqual(['401 INVALID_API_KEY', '200 SUCCESS']);
  });

  it('of a suspended account end with the next request, and stay ended when it is resumed', async () => {
    const somebody = await service.person();
    const operator = await service.person();
    await (await services().operators()).actions().setRole(operator.email, 'operator');
    const act = (verb: string) =>
      service.call('POST', `/api/operator/accounts/${somebody.id}/${verb}`, {
        cookie: operator.cookie,
        body: { reason: 'a test' },
      });
    expect((await act('suspend')).body.data.status).toBe('suspended');
    expect(code(await me(somebody.cookie))).toBe('401 INVALID_API_KEY');
    expect((await act('resume')).body.data.status).toBe('active');
    expect(code(await me(somebody.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await me(await login(somebody)))).toBe('200 SUCCESS');
  });
});

describe('the session cookie', () => {
  it('is for no script and no other site, and nothing but a name and a value', async () => {
    const response = await service.call('POST', '/api/auth/login', { body: await service.registered() });
    expect(response.headers.getSetCookie().filter((cookie) => cookie.includes('session='))).toEqual([
      expect.stringMatching(/^session=tas_\w{58}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('is bound to the host and to HTTPS where the service is deployed', async () => {
    const somebody = await service.registered();
    const restore = withEnvironment({ SESSION_COOKIE: '__Host-session' });
    const response = await service.call('POST', '/api/auth/login', { body: somebody });
    expect(response.headers.getSetCookie().filter((cookie) => cookie.includes('session='))).toEqual([
      expect.stringMatching(/^__Host-session=tas_\w{58}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const deployed = cookieOf(response);
    expect(code(await me(deployed))).toBe('200 SUCCESS');
    expect(code(await me(deployed.replace('__Host-', '')))).toBe('401 INVALID_API_KEY');
    restore();
  });

  it('is new with every sign-in, and one that was sent along is not taken over', async () => {
    const somebody = await service.registered();
    const response = await service.call('POST', '/api/auth/login', { body: somebody, cookie: somebody.cookie });
    expect(cookieOf(response)).not.toBe(somebody.cookie);
    const [mine, theirs] = [await service.registered(), await service.registered()];
    const body = { email: theirs.email, password: theirs.password };
    const signedIn = await service.call('POST', '/api/auth/login', { body, cookie: mine.cookie });
    expect((await me(cookieOf(signedIn))).body.data.id).toBe(theirs.id);
    expect((await me(mine.cookie)).body.data.id).toBe(mine.id);
  });
});
