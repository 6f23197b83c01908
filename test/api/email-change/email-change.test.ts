import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { inTurn, tooMany, wrong } from '#test/requests/accounts/auth-calls.ts';
import { emailChangeCalls, newAddress, subjects } from '#test/requests/accounts/email-change.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

/** The operations that a request sends to the database. */
const operations: string[] = [];
const service = useTestService({ onDynamoRequest: (operation) => void operations.push(operation) });
const calls = emailChangeCalls(() => service);
const { request, cancel, confirm, refuse, requested, pendingOf, mailOf } = calls;
const { me, login, advance, post, identityToken } = calls;
const waiting = (waitingFor: string) => ({ status: 'waiting', waitingFor });
const changed = { status: 'changed', waitingFor: null };

describe('a change of the email address', () => {
  it.each([
    ['the present address first', 'old', 'new'],
    ['the new address first', 'new', 'old'],
  ] as const)('is applied once both links are confirmed: %s', async (_, first, second) => {
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

  it('is not applied while only one side has confirmed, even repeatedly', async () => {
    const person = await service.person();
    const links = await requested(person);
    for (let turn = 0; turn < 3; turn++) expect((await confirm(links.new)).body.data).toEqual(waiting('old'));
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
  });

  it('ends all sessions, opens a new one in the confirming browser, and keeps the API keys', async () => {
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

  it('opens no session in a browser with another signed-in account', async () => {
    const [person, stranger] = [await service.person(), await service.person()];
    const links = await requested(person);
    await confirm(links.new, stranger.cookie);
    expect((await confirm(links.old, stranger.cookie)).headers.getSetCookie()).toEqual([]);
    expect((await me(stranger.cookie)).body.data.email).toBe(stranger.email);
  });

  it('frees the old address, and keeps the renewal date of its free month', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    const again = await post('register', { email: person.email, name: 'Again', password_hash: person.password });
    expect(again.status).toBe(201);
    const credits = await service.call('GET', '/api/credits', { cookie: cookieOf(again) });
    expect(credits.body.data.balance).toBe(0);
  });

  it('is recorded in the account history, which is purged with the account', async () => {
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
    const google = async (address: string) => post('google', { token: await identityToken(address) });
    const first = await google(email);
    const links = await requested({ email, cookie: cookieOf(first), identityToken: await identityToken(email) });
    await confirm(links.new);
    await confirm(links.old);
    const again = await google(email);
    expect(again.body.data).toMatchObject({ id: first.body.data.id, email: links.email });
  });

  it('is replaced by a new request, which invalidates the earlier links', async () => {
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

const invalid = '400 INVALID_TOKEN';

describe('a request to change the email address', () => {
  it('requires the password, and sends no email without it', async () => {
    const person = await service.person();
    const email = newAddress();
    expect(code(await request({ ...person, password: 'not the password' }, email))).toBe(wrong);
    expect(await mailsTo(service, email)).toEqual([]);
    expect(await pendingOf(person.cookie)).toBe(null);
  });

  it('refuses the current address in any spelling, before it checks the password', async () => {
    const person = await service.person();
    const response = await request({ ...person, password: 'not the password' }, person.email.toUpperCase());
    expect([code(response), response.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'email must differ from the current address.',
    ]);
    expect(code(await request(person, 'nowhere'))).toBe('400 INVALID_FORMAT');
  });

  it('for a registered address has the same response and operations, and notifies only its owner', async () => {
    const compared = async () => {
      const [person, owner] = [await service.person(), await service.person()];
      const seen: [response: object, pending: object, operations: string[]][] = [];
      for (const email of [newAddress(), owner.email]) {
        await service.settled();
        operations.length = 0;
        const { status, body } = await request(person, email);
        const made = operations.splice(0);
        const { expiresAt: _, email: shown, ...pending } = await pendingOf(person.cookie);
        expect(shown).toBe(email);
        seen.push([{ status, body }, pending, made]);
      }
      return { person, owner, seen };
    };
    let last = await compared();
    // The mailer may begin before a request ends, and its operations are counted too.
    const isSame = ([one, other]: typeof last.seen) => one?.[2].join(' ') === other?.[2].join(' ');
    for (let tries = 0; tries < 4 && !isSame(last.seen); tries++) last = await compared();
    const { person, owner, seen } = last;
    expect(seen[1]).toEqual(seen[0]);
    const mails = await mailsTo(service, owner.email);
    expect(mails[0]?.subject).toBe(subjects.taken);
    expect(mails[0]?.text).not.toMatch(/token=|Person|Hello \w/);
    expect((await mailOf(person.email, 'old'))?.text).toContain(owner.email);
  });

  it('for a registered address changes nothing, even if the current address confirms', async () => {
    const [person, owner] = [await service.person(), await service.person()];
    await request(person, owner.email);
    const token = tokenIn(await mailOf(person.email, 'old'));
    expect((await confirm(token)).body.data).toEqual(waiting('new'));
    expect((await me(owner.cookie)).body.data.email).toBe(owner.email);
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
  });

  it('returns 409 if the address is taken before the second link, and succeeds once it is free', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.new);
    const taken = await post('register', { email: links.email, name: 'Quick', password_hash: person.password });
    expect(code(await confirm(links.old))).toBe('409 EMAIL_ALREADY_REGISTERED');
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
    await post('delete-account', { email: links.email, password: person.password }, cookieOf(taken));
    expect((await confirm(links.old)).body.data.status).toBe('changed');
  });

  it('is limited to 3 an hour for one account, and to 3 emails an hour for one address', async () => {
    const person = await service.person();
    const codes = (await inTurn(4, () => request(person, newAddress()))).map(code);
    expect(codes).toEqual([...times(3, () => '200 CONFIRMATION_LINK_SENT'), tooMany]);
    const email = newAddress();
    const people = [await service.person(), await service.person(), await service.person(), await service.person()];
    const toOne = [];
    for (const one of people) toOne.push(code(await request(one, email)));
    expect(toOne).toEqual([...times(3, () => '200 CONFIRMATION_LINK_SENT'), tooMany]);
    expect(await mailsTo(service, email)).toHaveLength(3);
  });
});

describe('the link of an email address change', () => {
  it('works for 24 hours', async () => {
    const person = await service.person();
    const links = await requested(person);
    await advance('PT23H59M');
    expect((await confirm(links.old)).status).toBe(200);
    await advance('PT2M');
    expect(code(await confirm(links.new))).toBe(invalid);
    const cookie = cookieOf(await login(person.email, person.password));
    expect((await me(cookie)).body.data).toMatchObject({ email: person.email, emailChange: null });
  });

  it('cancels the change from either side, which invalidates both links', async () => {
    for (const side of ['old', 'new'] as const) {
      const person = await service.person();
      const links = await requested(person);
      await confirm(links[side === 'old' ? 'new' : 'old']);
      for (let turn = 0; turn < 2; turn++)
        expect((await refuse(links[side])).body.data).toEqual({ status: 'refused', waitingFor: null });
      expect([code(await confirm(links.old)), code(await confirm(links.new))]).toEqual([invalid, invalid]);
      expect((await me(person.cookie)).body.data).toMatchObject({ email: person.email, emailChange: null });
    }
  });

  it('becomes invalid once the change is cancelled in the settings, even repeatedly', async () => {
    const person = await service.person();
    const links = await requested(person);
    for (let turn = 0; turn < 2; turn++) expect(code(await cancel(person.cookie))).toBe('200 SUCCESS');
    expect(code(await confirm(links.new))).toBe(invalid);
    expect(await pendingOf(person.cookie)).toBe(null);
    const never = await service.person();
    expect(code(await cancel(never.cookie))).toBe('200 SUCCESS');
  });

  it('becomes invalid once the account is deleted', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.new);
    await post('delete-account', { email: person.email, password: person.password }, person.cookie);
    expect(code(await confirm(links.old))).toBe(invalid);
  });

  it('cannot cancel a completed change', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    expect(code(await refuse(links.old))).toBe('409 INVALID_STATE');
  });

  it('rejects tokens of another kind or account, unknown tokens, and tokens with a changed letter', async () => {
    const [person, other] = [await service.person(), await service.person()];
    const links = await requested(person);
    const foreign = await requested(other);
    const confirmation = await service.mailedToken((await service.registered()).email);
    for (const token of [confirmation, person.key, mistyped(links.old), `${links.old} `, 'tae_', 'null'])
      expect(code(await confirm(token, person.cookie))).toBe(invalid);
    await confirm(foreign.new, person.cookie);
    expect(await pendingOf(person.cookie)).toMatchObject({ isConfirmedByOld: false, isConfirmedByNew: false });
  });

  it('is stored only as a digest', async () => {
    const person = await service.person();
    const links = await requested(person);
    const rows = JSON.stringify(await rowsOf('accounts'));
    expect(rows).not.toContain(links.old);
    expect(rows).not.toContain(links.new);
  });
});
