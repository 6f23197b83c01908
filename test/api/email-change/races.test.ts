import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { atLength, patience, times } from '#test/many.ts';
import { emailChangeCalls, newAddress, subjects } from '#test/requests/accounts/email-change.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { code, type Person, useTestService } from '#test/service/service.ts';
import { sendToVictim, type VictimRequest } from '#test/service/victim.ts';

/** Runs when the functions send an operation to the database; the call waits for it. */
let onDatabase: ((operation: string) => void | Promise<void>) | undefined;

const service = useTestService(() => ({ onDynamoRequest: (operation) => onDatabase?.(operation) }));

const { requested, confirm, refuse, forgot, reset, login, me, post, mailOf } = emailChangeCalls(() => service);

/** The owner of the unique constraint item of each address. */
async function owners(emails: readonly string[]): Promise<Record<string, unknown>> {
  const rows = (await rowsOf('accounts')).filter(({ pk }) => emails.some((email) => pk === `email#${email}`));
  return Object.fromEntries(rows.map(({ pk, accountId }) => [String(pk).slice('email#'.length), accountId]));
}

const noticesTo = async (email: string) =>
  (await mailsTo(service, email)).filter(({ subject }) => subject === subjects.changed);

describe('concurrent requests', () => {
  it('to confirm both sides, 20 times each, change the address once', async () => {
    const person = await service.person();
    const links = await requested(person);
    const responses = await Promise.all(times(40, (index) => confirm(index % 2 === 0 ? links.old : links.new)));
    expect(new Set(responses.map(code))).toEqual(new Set(['200 SUCCESS']));
    expect(responses.some(({ body }) => body.data.status === 'changed')).toBe(true);
    expect(await owners([person.email, links.email])).toEqual({ [links.email]: person.id });
    expect(await noticesTo(links.email)).toHaveLength(1);
    expect(await noticesTo(person.email)).toHaveLength(1);
  });

  it('to confirm and to cancel have exactly one effect', async () => {
    for (let round = 0; round < atLength(4, 20); round++) {
      const person = await service.person();
      const links = await requested(person);
      await confirm(links.new);
      const [confirmed, refused] = await Promise.all([confirm(links.old), refuse(links.new)]);
      const isChanged = confirmed.body.data?.status === 'changed';
      const isRefused = refused.body.data?.status === 'refused';
      expect([isChanged, isRefused].filter(Boolean)).toHaveLength(1);
      const email = isChanged ? links.email : person.email;
      expect(await owners([person.email, links.email])).toEqual({ [email]: person.id });
    }
  });

  it('of two accounts for one address give it to one of them', async () => {
    const email = newAddress();
    const people = [await service.person(), await service.person()];
    const links = [];
    for (const person of people) {
      const { old } = await requested(person, email);
      const mail = await mailOf(email, 'new');
      await confirm(tokenIn(mail));
      links.push(old);
    }
    const codes = (await Promise.all(links.map((old) => confirm(old)))).map(code);
    expect(codes.toSorted()).toEqual(['200 SUCCESS', '409 EMAIL_ALREADY_REGISTERED']);
    const winner = people[codes.indexOf('200 SUCCESS')]!;
    expect(await owners([email])).toEqual({ [email]: winner.id });
  });

  it('to change to an address and to register it give it to one account', async () => {
    for (let round = 0; round < atLength(3, 20); round++) {
      const person = await service.person();
      const links = await requested(person);
      await confirm(links.new);
      const body = { email: links.email, name: 'Quick', password_hash: person.password };
      const codes = (await Promise.all([confirm(links.old), post('register', body)])).map(code);
      const expected = [
        ['200 SUCCESS', '409 EMAIL_ALREADY_REGISTERED'],
        ['409 EMAIL_ALREADY_REGISTERED', '201 CONFIRMATION_LINK_SENT'],
      ];
      expect(expected).toContainEqual(codes);
      const { [links.email]: owner } = await owners([links.email]);
      expect(owner === person.id).toBe(codes[0] === '200 SUCCESS');
    }
  });
});

describe('a reset link for the old address', () => {
  it('is not created after the change, even if it was requested before', async () => {
    const person = await service.person();
    const links = await requested(person);
    await confirm(links.new);
    // The job has found the account by its address, and is about to write the token.
    const { promise: isFound, resolve: found } = Promise.withResolvers<void>();
    const { promise: isChanged, resolve: goOn } = Promise.withResolvers<void>();
    onDatabase = async (operation) => {
      if (operation !== 'TransactWriteItems') return;
      onDatabase = undefined;
      found();
      await isChanged;
    };
    await forgot(person.email);
    await isFound;
    expect((await confirm(links.old)).body.data.status).toBe('changed');
    goOn();
    const mails = (await mailsTo(service, person.email)).filter(({ subject }) => subject === 'Reset your password');
    expect(mails).toEqual([]);
    expect(code(await reset('tar_'))).toBe('400 INVALID_TOKEN');
  });
});

describe('a process killed during an email address change', { timeout: patience }, () => {
  const sessionOf = ({ cookie }: Person) => cookie.replace('session=', '');
  const decision = (token: string, person: Person): VictimRequest => ({
    method: 'POST',
    path: '/api/auth/email-change/decision',
    key: sessionOf(person),
    body: { token, decision: 'confirm' },
  });

  it('applies the last confirmation completely or not at all, and opening the link again completes it', async () => {
    async function allSteps(): Promise<readonly string[]> {
      const person = await service.person();
      const links = await requested(person);
      await confirm(links.new);
      return (await sendToVictim(decision(links.old, person))).steps;
    }
    for (const step of await atLength(
      async () => ['UpdateItem 1 returned', 'TransactWriteItems 1 returned'],
      allSteps,
    )()) {
      const person = await service.person();
      const mailed = await requested(person);
      await confirm(mailed.new);
      const { died } = await sendToVictim(decision(mailed.old, person), step);
      expect([step, died]).toEqual([step, true]);
      const before = await owners([person.email, mailed.email]);
      expect([step, Object.keys(before).length, Object.values(before)]).toEqual([step, 1, [person.id]]);
      expect([step, (await confirm(mailed.old)).body.data.status]).toEqual([step, 'changed']);
      expect(await owners([person.email, mailed.email])).toEqual({ [mailed.email]: person.id });
      expect([step, (await noticesTo(mailed.email)).length]).toEqual([step, 1]);
      expect(code(await login(mailed.email, person.password))).toBe('200 LOGIN_SUCCESS');
    }
  });

  it('sends both emails or neither at any step of a request, and the request can be repeated', async () => {
    const requestOf = (person: Person, email: string): VictimRequest => ({
      method: 'POST',
      path: '/api/auth/email-change',
      key: sessionOf(person),
      body: { email, password: person.password },
    });
    const all = async () => (await sendToVictim(requestOf(await service.person(), newAddress()))).steps;
    for (const step of await atLength(async () => ['TransactWriteItems 1 returned'], all)()) {
      const [person, email] = [await service.person(), newAddress()];
      const { died } = await sendToVictim(requestOf(person, email), step);
      expect([step, died]).toEqual([step, true]);
      const mails = [await mailOf(person.email, 'old'), await mailOf(email, 'new')].filter(Boolean);
      expect([step, mails.length]).toEqual([step, expect.toBeOneOf([0, 2])]);
      const links = await requested(person, email);
      await confirm(links.new);
      expect([step, (await confirm(links.old)).body.data.status]).toEqual([step, 'changed']);
      expect(code(await me(person.cookie))).toBe('401 INVALID_API_KEY');
    }
  });
});
