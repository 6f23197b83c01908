import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { code, cookieOf, type Person, useTestService } from '#test/service/service.ts';

const service = useTestService();

const auth = authCalls(() => service);
const { me, post, advance, identityToken } = auth;
const list = async (cookie: string) => (await service.call('GET', '/api/auth/sessions', { cookie })).body.data;
const end = (cookie: string, id: string) => service.call('DELETE', `/api/auth/sessions/${id}`, { cookie });

/** The cookie of a new session. */
const login = async ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<string> =>
  cookieOf(await auth.login(email, password));
const googleLogin = async (email: string) => cookieOf(await post('google', { token: await identityToken(email) }));

describe('sessions', () => {
  it('are recognized even with a cookie of the same name from another local service', async () => {
    const { cookie } = await service.registered();
    for (const cookies of [`session=theirs; ${cookie}`, `${cookie}; session=theirs`])
      expect(code(await me(cookies))).toBe('200 SUCCESS');
  });

  it('are listed by last use, newest first, with the current one marked', async () => {
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

  it('are listed and stored without the value of the cookie', async () => {
    const { cookie } = await service.registered();
    const value = cookie.replace('session=', '');
    expect(JSON.stringify(await list(cookie))).not.toContain(value);
    expect(JSON.stringify(await rowsOf('accounts'))).not.toContain(value);
  });

  it('end immediately when another session revokes them', async () => {
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

  it("return the same response for another account's session and an unknown one", async () => {
    const [one, other] = [await service.registered(), await service.registered()];
    const [{ id }] = await list(other.cookie);
    const responses = [await end(one.cookie, id), await end(one.cookie, 'nothing'), await end(one.cookie, 'user')];
    expect(responses.map(code)).toEqual(times(3, () => '404 NOT_FOUND'));
    expect(responses[0]!.body).toEqual(responses[1]!.body);
    expect((await list(one.cookie)).map((session: { id: string }) => session.id)).not.toContain(id);
    expect(code(await me(other.cookie))).toBe('200 SUCCESS');
  });

  it('are limited to 10, and a new one replaces the oldest', async () => {
    const email = 'many@example.com';
    const cookies: string[] = [];
    for (const _ of times(11, String)) cookies.push(await googleLogin(email));
    const codes = await Promise.all(cookies.map(async (cookie) => code(await me(cookie))));
    expect(codes).toEqual(['401 INVALID_API_KEY', ...times(10, () => '200 SUCCESS')]);
    expect(await list(cookies.at(-1)!)).toHaveLength(10);
  });

  it('are limited to 10 even if many are opened concurrently', async () => {
    const email = 'crowd@example.com';
    await googleLogin(email);
    const cookies = await Promise.all(times(20, () => googleLogin(email)));
    const codes = await Promise.all(cookies.map(async (cookie) => code(await me(cookie))));
    expect(codes.filter((one) => one === '200 SUCCESS')).toHaveLength(10);
  });

  it('do not count towards the limit once they have expired', async () => {
    const email = 'busy@example.com';
    const cookie = await googleLogin(email);
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
    const restore = withEnvironment({ SESSION_IDLE_HOURS: '720' });
    const { cookie } = await service.registered();
    await advance('P29DT23H');
    expect(code(await me(cookie))).toBe('200 SUCCESS');
    await advance('PT1H');
    expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
    restore();
  });

  it('expire after the configured idle hours, and their cookie after the configured days', async () => {
    const restore = withEnvironment({ SESSION_IDLE_HOURS: '2', SESSION_MAX_DAYS: '1' });
    const response = await service.call('POST', '/api/auth/login', { body: await service.registered() });
    expect(response.headers.getSetCookie().join()).toContain('Max-Age=86400;');
    await advance('PT1H59M');
    expect(code(await me(cookieOf(response)))).toBe('200 SUCCESS');
    await advance('PT2H');
    expect(code(await me(cookieOf(response)))).toBe('401 INVALID_API_KEY');
    restore();
  });

  it('record their last use at most once every five minutes', async () => {
    const { id, cookie } = await service.registered();
    const lastUse = async (duration: string) => {
      await advance(duration);
      expect(code(await me(cookie))).toBe('200 SUCCESS');
      const isMine = ({ pk, sk }: Record<string, unknown>) => pk === `user#${id}` && String(sk).startsWith('session#');
      return (await rowsOf('accounts')).find(isMine)?.['lastSeenAt'];
    };
    const first = await lastUse('PT1S');
    expect(await lastUse('PT4M')).toBe(first);
    expect(await lastUse('PT2M')).toBeGreaterThan(Number(first));
  });

  it('end at logout together with their cookie, without ending other sessions', async () => {
    const somebody = await service.registered();
    const other = await login(somebody);
    const out = await service.call('POST', '/api/auth/logout', { cookie: other });
    expect(out.body).toEqual({ message: 'LOGOUT_SUCCESS', error: false, data: null, status: 200 });
    expect(out.headers.getSetCookie()).toEqual(['session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect([code(await me(other)), code(await me(somebody.cookie))]).toEqual(['401 INVALID_API_KEY', '200 SUCCESS']);
  });
});

describe('the session cookie', () => {
  it('is restricted to the host and to HTTPS on a deployed service', async () => {
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

  it('has a new value after every sign-in, whatever cookie the request contains', async () => {
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

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Signs in with these headers. Returns the listed session and its cookie. */
async function signedIn({ email, password }: { email: string; password: string }, headers: Record<string, string>) {
  const response = await service.call('POST', '/api/auth/login', { body: { email, password }, headers });
  const cookie = cookieOf(response);
  const sessions = (await service.call('GET', '/api/auth/sessions', { cookie })).body.data;
  return { cookie, session: sessions.find(({ current }: { current: boolean }) => current) };
}

describe('the session list', () => {
  it('names the browser and system of each session, and marks local ones', async () => {
    const somebody = await service.registered();
    const { session } = await signedIn(somebody, { 'user-agent': firefox });
    expect(session).toMatchObject({ browser: 'Firefox', system: 'Windows', country: null, isLocal: true });
  });

  it('shows the country from the edge, and ignores one from the client if there is no edge', async () => {
    const somebody = await service.registered();
    const headers = { 'cloudfront-viewer-country': 'NO' };
    expect((await signedIn(somebody, headers)).session.country).toBe(null);
    const restore = withEnvironment({ COUNTRY_HEADER: 'cloudfront-viewer-country' });
    expect((await signedIn(somebody, headers)).session.country).toBe('NO');
    expect((await signedIn(somebody, { 'cloudfront-viewer-country': '<b>' })).session.country).toBe(null);
    restore();
  });

  it('keeps no row of an ended session', async () => {
    const somebody = await service.registered();
    const { session } = await signedIn(somebody, { 'user-agent': firefox });
    await end(somebody.cookie, session.id);
    const rows = (await rowsOf('accounts')).filter(({ pk }) => pk === `user#${somebody.id}`);
    expect(JSON.stringify(rows)).not.toContain('Firefox');
  });

  it('ends all other sessions of the account on request, and no sessions of other accounts', async () => {
    const [somebody, stranger] = [await service.registered(), await service.registered()];
    const others = [await signedIn(somebody, {}), await signedIn(somebody, {})];
    for (let turn = 0; turn < 2; turn++) expect(code(await end(somebody.cookie, 'others'))).toBe('200 SUCCESS');
    for (const { cookie } of [somebody, stranger]) expect(code(await me(cookie))).toBe('200 SUCCESS');
    for (const { cookie } of others) expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
  });
});
