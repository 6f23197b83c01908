import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { me } = authCalls(() => service);
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
const hostile = '<script>steal()</script>"; DROP TABLE sessions -- Firefox/1 (Macintosh)';

/** Signs in with these headers, and returns what the list shows of that session, with its cookie. */
async function signedIn({ email, password }: { email: string; password: string }, headers: Record<string, string>) {
  const response = await service.call('POST', '/api/auth/login', { body: { email, password }, headers });
  const cookie = cookieOf(response);
  const sessions = (await service.call('GET', '/api/auth/sessions', { cookie })).body.data;
  return { cookie, session: sessions.find(({ current }: { current: boolean }) => current) };
}

const end = (cookie: string, id: string) => service.call('DELETE', `/api/auth/sessions/${id}`, { cookie });

describe('the list of sessions', () => {
  it('names browser and system of each, and this machine as its place', async () => {
    const somebody = await service.registered();
    const { session } = await signedIn(somebody, { 'user-agent': firefox });
    expect(session).toMatchObject({ browser: 'Firefox', system: 'Windows', country: null, isLocal: true });
  });

  it.each([
    ['hostile', hostile, { browser: 'Firefox', system: 'macOS' }],
    ['of 8,000 characters', `Firefox/1 (Windows) ${'x'.repeat(8000)}`, { browser: null, system: null }],
    ['unknown', 'Netscape', { browser: null, system: null }],
  ])('keeps nothing of a User-Agent that is %s but names of ours', async (_, userAgent, names) => {
    const somebody = await service.registered();
    const { session } = await signedIn(somebody, { 'user-agent': userAgent });
    expect(session).toMatchObject(names);
    const rows = JSON.stringify((await rowsOf('accounts')).filter(({ pk }) => pk === `user#${somebody.id}`));
    expect(rows).not.toMatch(/steal|xxx|Netscape/);
  });

  it('has the country that the edge names, and none that a caller names where there is no edge', async () => {
    const somebody = await service.registered();
    const headers = { 'cloudfront-viewer-country': 'NO' };
    expect((await signedIn(somebody, headers)).session.country).toBe(null);
    const restore = withEnvironment({ COUNTRY_HEADER: 'cloudfront-viewer-country' });
    expect((await signedIn(somebody, headers)).session.country).toBe('NO');
    expect((await signedIn(somebody, { 'cloudfront-viewer-country': '<b>' })).session.country).toBe(null);
    restore();
  });

  it('leaves nothing of a session that was ended', async () => {
    const somebody = await service.registered();
    const { session } = await signedIn(somebody, { 'user-agent': firefox });
    await end(somebody.cookie, session.id);
    const rows = (await rowsOf('accounts')).filter(({ pk }) => pk === `user#${somebody.id}`);
    expect(JSON.stringify(rows)).not.toContain('Firefox');
  });

  it('ends all other sessions together, and none where there is no other', async () => {
    const somebody = await service.registered();
    const others = [await signedIn(somebody, {}), await signedIn(somebody, {})];
    for (let turn = 0; turn < 2; turn++) expect(code(await end(somebody.cookie, 'others'))).toBe('200 SUCCESS');
    expect(code(await me(somebody.cookie))).toBe('200 SUCCESS');
    for (const { cookie } of others) expect(code(await me(cookie))).toBe('401 INVALID_API_KEY');
  });

  it('ends no session of another account with them', async () => {
    const [one, other] = [await service.registered(), await service.registered()];
    await end(one.cookie, 'others');
    expect(code(await me(other.cookie))).toBe('200 SUCCESS');
  });
});
