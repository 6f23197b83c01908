import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const register = (body: unknown) => service.call('POST', '/api/auth/register', { body });
const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });

describe('registration', () => {
  it('returns 201 with the user, opens a session and mails a confirmation link', async () => {
    const email = 'Ada@Example.com';
    const response = await register({
      email,
      name: 'Ada',
      password_hash: 'a quiet river bank',
      role: 'operator',
      id: 7,
    });
    expect(response.body).toEqual({
      message: 'CONFIRMATION_LINK_SENT',
      error: false,
      status: 201,
      data: { id: expect.any(Number), email: 'ada@example.com', name: 'Ada', role: 'viewer' },
    });
    expect(response.body.data.id).not.toBe(7);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^session=tas_\w+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect(await service.mailedToken('ada@example.com')).toMatch(/^tac_\w{58}$/);
    expect((await me(cookieOf(response))).body.data).toEqual({
      ...response.body.data,
      isSubscribe: false,
      isConfirmed: false,
      hasPassword: true,
      emailChange: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('has one winner when the same address registers many times concurrently', async () => {
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
    [[], 'The body must be a JSON object.'],
  ])('refuses %j with the reason', async (body, detail) => {
    expect((await register(body)).body).toEqual({
      message: 'INVALID_FORMAT',
      error: true,
      data: null,
      status: 400,
      detail,
    });
  });

  it.each([
    ["o'neil@example.com", "o'neil@example.com", "O'NEIL@example.COM"],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ADA@XN--bcher-kva.example'],
  ])('takes %s, mails it as %s, and knows it as %s too', async (email, stored, other) => {
    const body = { email, name: 'Ada', password_hash: 'a quiet river bank' };
    expect((await register(body)).body.data.email).toBe(stored);
    expect(await service.mailedToken(stored)).toMatch(/^tac_/);
    expect((await register({ ...body, email: other })).body.message).toBe('EMAIL_ALREADY_REGISTERED');
    const login = { email: other, password: body.password_hash };
    expect((await service.call('POST', '/api/auth/login', { body: login })).status).toBe(200);
  });

  it('loses no mail while SES is away, and sends it once after', async () => {
    await service.post('/_local/faults', { target: 'ses', fault: 'unavailable', count: 6 });
    const { email } = await service.registered();
    await service.mailedToken(email);
    await service.settled();
    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { to: string[] }[];
    expect(mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });
});

describe('login', () => {
  it('responds with the user and a new session, whatever the case of the address', async () => {
    const { email, password, id } = await service.registered();
    const response = await service.call('POST', '/api/auth/login', { body: { email: email.toUpperCase(), password } });
    expect(response.body).toMatchObject({ message: 'LOGIN_SUCCESS', status: 200 });
    expect(response.body.data).toEqual({ id, email, name: expect.any(String), role: 'viewer', isSubscribe: false });
    expect((await me(cookieOf(response))).status).toBe(200);
  });

  it('responds to an unknown address exactly as to a wrong password', async () => {
    const { email } = await service.registered();
    const known = await service.call('POST', '/api/auth/login', { body: { email, password: 'not the password' } });
    const body = { email: 'stranger@example.com', password: 'not the password' };
    const unknown = await service.call('POST', '/api/auth/login', { body });
    expect([known.status, known.body.message]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(unknown.body).toEqual(known.body);
    expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()]);
  });

  it('opens a session that also works as a bearer token and ends with logout or after 12 hours without use', async () => {
    const { cookie, email, password } = await service.registered();
    const value = cookie.replace('session=', '');
    expect((await service.call('GET', '/api/auth/me', { key: value })).status).toBe(200);
    const out = await service.call('POST', '/api/auth/logout', { cookie });
    expect(out.body).toEqual({ message: 'LOGOUT_SUCCESS', error: false, data: null, status: 200 });
    expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0');
    expect((await me(cookie)).body.message).toBe('INVALID_API_KEY');
    const again = cookieOf(await service.call('POST', '/api/auth/login', { body: { email, password } }));
    await service.post('/_local/clock', { advance: 'PT11H' });
    expect((await me(again)).status).toBe(200);
    await service.post('/_local/clock', { advance: 'PT12H' });
    expect((await me(again)).status).toBe(401);
  });
});

describe('confirmation', () => {
  const confirm = (token: string, cookie: string) =>
    service.call('GET', `/api/auth/confirm?token=${token}`, { cookie });

  it('lets the account make keys, and may be repeated by the same account', async () => {
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

  it("takes the newest mail's token only, from its own account only, for 24 hours", async () => {
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
    const login = await service.call('POST', '/api/auth/login', { body: one });
    expect((await confirm(second, cookieOf(login))).status).toBe(200);
    const stale = await service.registered();
    const token = await service.mailedToken(stale.email);
    await service.post('/_local/clock', { advance: 'P1D' });
    const late = await service.call('POST', '/api/auth/login', { body: stale });
    expect((await confirm(token, cookieOf(late))).body.message).toBe('INVALID_TOKEN');
  });
});
