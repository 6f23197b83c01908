import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { emailChangeCalls, newAddress, subjects } from '#test/requests/accounts/email-change.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { request, confirm, requested, pendingOf, mailOf, me, login, forgot, reset, advance, post } = emailChangeCalls(
  () => service,
);
const waiting = (waitingFor: string) => ({ status: 'waiting', waitingFor });
const changed = { status: 'changed', waitingFor: null };

describe('a change of the email address', () => {
  it.each([
    ['the present address first', 'old', 'new'],
    ['the new address first', 'new', 'old'],
  ] as const)('is made when both links were confirmed: %s', async (_, first, second) => {
    const person = await service.person();
    const links = await requested(person);
    expect(await pendingOf(person.cookie)).toEqual({
      email: links.email,
      expiresAt: expect.stringMatching(/Z$/),
      isConfirmedByOld: false,
      isConfirmedByNew: false,
    });
    expect((await confirm(links[first])).body.data).toEqual(waiting(second));
    expect((await me(person.cookie)).body.data).toMatchObject({
      email: person.email,
      emailChange: { isConfirmedByOld: first === 'old', isConfirmedByNew: first === 'new' },
    });
    const response = await confirm(links[second]);
    expect(response.body).toEqual({ message: 'SUCCESS', error: false, data: changed, status: 200 });
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(code(await login(person.email, person.password))).toBe('401 INVALID_CREDENTIALS');
    const cookie = cookieOf(await login(links.email.toUpperCase(), person.password));
    expect((await me(cookie)).body.data).toMatchObject({ id: person.id, email: links.email, emailChange: null });
  });

  it('is never made by one side alone, however often it confirms', async () => {
    const person = await service.person();
    const links = await requested(person);
    for (let turn = 0; turn < 3; turn++) expect((await confirm(links.new)).body.data).toEqual(waiting('old'));
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
  });

  it('has the same result when a link is opened again, and is made once', async () => {
    const person = await service.person();
    const links = await requested(person);
    for (const token of [links.old, links.new, links.new, links.old]) expect((await confirm(token)).status).toBe(200);
    expect((await confirm(links.old)).body.data).toEqual(changed);
    const notices = (await mailsTo(service, links.email)).filter(({ subject }) => subject === subjects.changed);
    expect(notices).toHaveLength(1);
  });

  it('ends all sessions but that of the browser that completes it, which gets another; keys go on', async () => {
    const person = await service.person();
    const other = cookieOf(await login(person.email, person.password));
    const links = await requested(person);
    await confirm(links.new, other);
    const response = await confirm(links.old, person.cookie);
    const cookie = cookieOf(response);
    expect(response.headers.getSetCookie().map((one) => one.split('=')[0])).toEqual(['session', 'device']);
    expect(code(await me(person.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await me(other))).toBe('401 INVALID_API_KEY');
    expect((await me(cookie)).body.data.email).toBe(links.email);
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(200);
    expect((await confirm(links.old, cookie)).headers.getSetCookie()).toEqual([]);
  });

  it('opens no session for a browser in which somebody else is signed in', async () => {
    const [person, stranger] = [await service.person(), await service.person()];
    const links = await requested(person);
    await confirm(links.new, stranger.cookie);
    expect((await confirm(links.old, stranger.cookie)).headers.getSetCookie()).toEqual([]);
    expect((await me(stranger.cookie)).body.data.email).toBe(stranger.email);
  });

  it('ends reset links of before, also one that is made meanwhile, and notifies both addresses', async () => {
    const person = await service.person();
    await forgot(person.email);
    const token = tokenIn((await mailsTo(service, person.email))[0]);
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    expect(code(await reset(token))).toBe('400 INVALID_TOKEN');
    for (const email of [person.email, links.email]) {
      const notice = await mailOf(email, 'changed');
      expect(notice?.text).toContain(`is now ${links.email}`);
      expect(notice?.text).toContain('Hello Person ');
    }
  });

  it('frees the former address, whose next free month comes when it would have', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    const again = await post('register', { email: person.email, name: 'Again', password_hash: person.password });
    expect(again.status).toBe(201);
    const credits = await service.call('GET', '/api/credits', { cookie: cookieOf(again) });
    expect(credits.body.data.balance).toBe(0);
  });

  it('is kept in the account’s history, which is purged with it', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    const history = async () =>
      (await rowsOf('accounts')).filter(
        ({ pk, sk }) => pk === `user#${person.id}` && String(sk).startsWith('former-email#'),
      );
    expect(await history()).toEqual([
      expect.objectContaining({ email: person.email, changedTo: links.email, changedAt: expect.any(Number) }),
    ]);
    const cookie = cookieOf(await login(links.email, person.password));
    expect((await post('delete-account', { email: links.email, password: person.password }, cookie)).status).toBe(200);
    await advance('P31D');
    expect(await history()).toEqual([]);
  });

  it('accepts an identity token from an account without a password, which can still sign in with Google afterwards', async () => {
    const email = newAddress();
    const tokenOf = async (address: string): Promise<string> =>
      (await service.post('/_local/identity-token', { email: address, name: 'Gina' })).token;
    const google = async (address: string) => post('google', { token: await tokenOf(address) });
    const first = await google(email);
    const links = await requested({ email, cookie: cookieOf(first), identityToken: await tokenOf(email) });
    await confirm(links.new);
    await confirm(links.old);
    const again = await google(email);
    expect(again.body.data).toMatchObject({ id: first.body.data.id, email: links.email });
  });

  it('is one at a time: another request ends the links of the one before', async () => {
    const person = await service.person();
    const [first, second] = [await requested(person), await requested(person)];
    expect(code(await confirm(first.new))).toBe('400 INVALID_TOKEN');
    expect((await pendingOf(person.cookie)).email).toBe(second.email);
    await confirm(second.new);
    await confirm(second.old);
    expect(code(await login(second.email, person.password))).toBe('200 LOGIN_SUCCESS');
    expect(code(await request(person, newAddress()))).toBe('401 INVALID_API_KEY');
  });
});
