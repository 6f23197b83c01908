import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { post, me, login, forgot, reset, advance } = authCalls(() => service);

/** The token of a reset link that is requested now. */
async function resetToken(email: string): Promise<string> {
  expect(code(await forgot(email))).toBe('200 RESET_LINK_SENT');
  return tokenIn((await mailsTo(service, email))[0]);
}

describe('a change of name', () => {
  it('changes the name and nothing else, whatever else the body has', async () => {
    const { email, id, cookie } = await service.registered();
    const body = { name: 'Grace', role: 'operator', id: 7, email: 'other@example.com', isSubscribe: true, quota: 5 };
    const response = await service.call('PATCH', '/api/auth/me', { cookie, body });
    expect(response.body.data).toEqual({ id, email, name: 'Grace', role: 'viewer' });
    expect((await me(cookie)).body.data).toMatchObject({
      id,
      email,
      name: 'Grace',
      role: 'viewer',
      isSubscribe: false,
    });
    const row = (await rowsOf('accounts')).find((stored) => stored['sk'] === 'user' && stored['id'] === id);
    expect(row).not.toHaveProperty('isSubscribe');
    expect(row).not.toHaveProperty('quota');
  });
});

describe('deletion of an account', () => {
  it('needs the address and the password', async () => {
    const { email, password, cookie } = await service.registered();
    const responses = [
      await post('delete-account', { email: 'other@example.com', password }, cookie),
      await post('delete-account', { email, password: 'not the password' }, cookie),
      await post('delete-account', { email }, cookie),
    ];
    expect(responses.map(code)).toEqual(['400 INVALID_FORMAT', '401 INVALID_CREDENTIALS', '401 INVALID_CREDENTIALS']);
    expect(code(await me(cookie))).toBe('200 SUCCESS');
  });

  it('ends keys, sessions, links and sign-in immediately, and frees the address', async () => {
    const { email, password, cookie, key, id } = await service.person();
    const token = await resetToken(email);
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
    expect(calls.map(code)).toEqual([
      '401 INVALID_API_KEY',
      '401 INVALID_API_KEY',
      '401 INVALID_API_KEY',
      '401 INVALID_CREDENTIALS',
      '400 INVALID_TOKEN',
    ]);
    expect((await mailsTo(service, email))[0]?.subject).toBe('Your account was deleted');
    const again = await post('register', { email, name: 'Again', password_hash: 'a third river bank' });
    expect([again.status, again.body.data.id === id]).toEqual([201, false]);
    expect((await service.call('GET', '/v1/models', { key })).status).toBe(401);
  });

  it('keeps the data for 30 days, then leaves nothing of the person but the ledger', async () => {
    const { email, password, cookie, key, id } = await service.person();
    await service.call('POST', '/v1/chat/completions', {
      key,
      body: { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
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
