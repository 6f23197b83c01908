import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { inTurn, tooMany, wrong } from '#test/requests/accounts/auth-calls.ts';
import { emailChangeCalls, newAddress, subjects } from '#test/requests/accounts/email-change.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

/** The operations that a request sends to the database. */
const operations: string[] = [];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ onDynamoRequest: (operation) => void operations.push(operation) });
});
afterAll(() => service.close());

const { request, cancel, confirm, refuse, requested, pendingOf, mailOf, me, login, post, advance, guess } =
  emailChangeCalls(() => service);
const invalid = '400 INVALID_TOKEN';

describe('another email address', () => {
  it('needs the password, and mails nobody without it', async () => {
    const person = await service.person();
    const email = newAddress();
    expect(code(await request({ ...person, password: 'not the password' }, email))).toBe(wrong);
    expect(code(await post('email-change', { email }, person.cookie))).toBe(wrong);
    expect(await mailsTo(service, email)).toEqual([]);
    expect(await pendingOf(person.cookie)).toBe(null);
  });

  it('is requested with guesses that count as others in the session do, and as a stranger’s at signing in', async () => {
    const person = await service.person();
    await inTurn(5, () => request({ ...person, password: 'not the password' }, newAddress()));
    expect(code(await request(person, newAddress()))).toBe(tooMany);
    expect(code(await guess(person.email))).toBe(tooMany);
  });

  it('is another one: the account’s own, however it is written, is refused before the password is looked at', async () => {
    const person = await service.person();
    const response = await request({ ...person, password: 'not the password' }, person.email.toUpperCase());
    expect([code(response), response.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'email must differ from the current address.',
    ]);
    expect(code(await request(person, 'nowhere'))).toBe('400 INVALID_FORMAT');
  });

  it('is for a confirmed account and its person, never for a key', async () => {
    const newcomer = await service.registered();
    expect(code(await request(newcomer, newAddress()))).toBe('403 ACCOUNT_NOT_CONFIRMED');
    const { key, password } = await service.person();
    const body = { email: newAddress(), password };
    expect(code(await service.call('POST', '/api/auth/email-change', { key, body }))).toBe(
      '403 INSUFFICIENT_PERMISSIONS',
    );
  });

  it('that has an account has the same response, by the same operations; only its owner learns it', async () => {
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
    expect(seen[1]).toEqual(seen[0]);
    const mails = await mailsTo(service, owner.email);
    expect(mails[0]?.subject).toBe(subjects.taken);
    expect(mails[0]?.text).not.toMatch(/token=|Person|Hello \w/);
    expect((await mailOf(person.email, 'old'))?.text).toContain(owner.email);
  });

  it('that has an account stays its owner’s, though the present address confirms', async () => {
    const [person, owner] = [await service.person(), await service.person()];
    await request(person, owner.email);
    const mail = await mailOf(person.email, 'old');
    const token = /token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? '';
    expect((await confirm(token)).body.data).toEqual({ status: 'waiting', waitingFor: 'new' });
    expect((await me(owner.cookie)).body.data.email).toBe(owner.email);
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
  });

  it('that was taken before the second link is a 409, and free again it can be confirmed', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.new);
    const taken = await post('register', { email: links.email, name: 'Quick', password_hash: person.password });
    expect(code(await confirm(links.old))).toBe('409 EMAIL_ALREADY_REGISTERED');
    expect((await me(person.cookie)).body.data.email).toBe(person.email);
    await post('delete-account', { email: links.email, password: person.password }, cookieOf(taken));
    expect((await confirm(links.old)).body.data.status).toBe('changed');
  });

  it('is requested 3 times an hour at most by one account, and mailed 3 times by all', async () => {
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

describe('the link of a change', () => {
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

  it('refuses as well, from either side, and then nothing of it works', async () => {
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

  it('is dead once the change is cancelled in the settings, which may be repeated', async () => {
    const person = await service.person();
    const links = await requested(person);
    for (let turn = 0; turn < 2; turn++) expect(code(await cancel(person.cookie))).toBe('200 SUCCESS');
    expect(code(await confirm(links.new))).toBe(invalid);
    expect(await pendingOf(person.cookie)).toBe(null);
    const never = await service.person();
    expect(code(await cancel(never.cookie))).toBe('200 SUCCESS');
  });

  it('is dead once the password was changed, as whoever knew the old one may have requested it', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    const change = { currentPassword: person.password, newPassword: 'another river bank' };
    const cookie = cookieOf(await post('change-password', change, person.cookie));
    expect(await pendingOf(cookie)).toBe(null);
    expect(code(await confirm(links.new))).toBe(invalid);
    expect(code(await refuse(links.old))).toBe(invalid);
  });

  it('is dead once the account is deleted', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.new);
    await post('delete-account', { email: person.email, password: person.password }, person.cookie);
    expect(code(await confirm(links.old))).toBe(invalid);
  });

  it('cannot refuse what was made', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.old);
    await confirm(links.new);
    expect(code(await refuse(links.old))).toBe('409 INVALID_STATE');
  });

  it('takes no token of another kind, of nobody, of another account, or with a letter changed', async () => {
    const [person, other] = [await service.person(), await service.person()];
    const links = await requested(person);
    const foreign = await requested(other);
    const confirmation = await service.mailedToken((await service.registered()).email);
    for (const token of [confirmation, person.key, mistyped(links.old), `${links.old} `, 'tae_', 'null'])
      expect(code(await confirm(token, person.cookie))).toBe(invalid);
    await confirm(foreign.new, person.cookie);
    expect(await pendingOf(person.cookie)).toMatchObject({ isConfirmedByOld: false, isConfirmedByNew: false });
  });

  it('is stored as a digest only', async () => {
    const person = await service.person();
    const links = await requested(person);
    const rows = JSON.stringify(await rowsOf('accounts'));
    expect(rows).not.toContain(links.old);
    expect(rows).not.toContain(links.new);
  });
});
