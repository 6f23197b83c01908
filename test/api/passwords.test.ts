import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailsTo, tokenIn } from '#test/inbox.ts';
import { mistyped } from '#test/mistyped.ts';
import { rowsOf } from '#test/rows.ts';
import { type ApiResponse, cookieOf, startTestService, type TestService } from '#test/service.ts';

/** Runs when the functions ask the database for an operation; the call waits for it. */
let onDatabase: ((operation: string) => void | Promise<void>) | undefined;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ onDynamoRequest: (operation) => onDatabase?.(operation) });
});
afterAll(() => service.close());

const post = (path: string, body: unknown, cookie = '') => service.call('POST', `/api/auth/${path}`, { body, cookie });
const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });
const login = (email: string, password: string) => post('login', { email, password });
const forgot = (email: string) => post('forgot-password', { email });
const reset = (token: string, newPassword = 'another river bank') => post('reset-password', { token, newPassword });
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });
const code = ({ status, body }: ApiResponse) => `${status} ${body.message}`;
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** The token of a reset link that is asked for now. */
async function resetToken(email: string): Promise<string> {
  expect(code(await forgot(email))).toBe('200 RESET_LINK_SENT');
  return tokenIn((await mailsTo(service, email))[0]);
}

describe('a forgotten password', () => {
  it('is answered alike, to the byte, for a known and an unknown address; a link comes to the known one only', async () => {
    const { email } = await service.registered();
    const stranger = 'stranger@example.com';
    const replies = await Promise.all(
      [email, stranger].map((address) =>
        fetch(`${service.origin}/api/auth/forgot-password`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: address }),
        }),
      ),
    );
    const [known, unknown] = await Promise.all(
      replies.map(async (reply) => [reply.status, [...reply.headers.keys()], await reply.text()]),
    );
    expect(unknown).toEqual(known);
    expect(JSON.parse(String(known![2]))).toEqual({
      message: 'RESET_LINK_SENT',
      error: false,
      data: null,
      status: 200,
    });
    const [mail] = await mailsTo(service, email);
    expect(mail?.text).toMatch(new RegExp(`^${service.origin}/reset-password\\?token=tar_\\w{58}$`, 'm'));
    expect(await mailsTo(service, stranger)).toEqual([]);
  });

  it('is replaced with the token of the mail: the old one is refused, all sessions end, a notice comes', async () => {
    const { email, password, cookie } = await service.registered();
    const other = cookieOf(await login(email, password));
    const answer = await reset(await resetToken(email.toUpperCase().toLowerCase()));
    expect(answer.body).toEqual({ message: 'PASSWORD_RESET_SUCCESS', error: false, data: null, status: 200 });
    expect(answer.headers.getSetCookie().join()).not.toContain('session=');
    expect([code(await me(cookie)), code(await me(other))]).toEqual(times(2, () => '401 INVALID_API_KEY'));
    expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
    expect(code(await login(email, 'another river bank'))).toBe('200 LOGIN_SUCCESS');
    expect((await mailsTo(service, email))[0]?.subject).toBe('Your password was changed');
  });

  it('is replaced once of 100 times at once, by exactly one of the passwords', async () => {
    const { email } = await service.registered();
    const token = await resetToken(email);
    const answers = await Promise.all(times(100, (index) => reset(token, `a river bank, number ${index}`)));
    const winners = answers.flatMap((answer, index) => (answer.status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(code))).toEqual(new Set(['400 INVALID_TOKEN']));
    expect(code(await login(email, `a river bank, number ${winners[0]}`))).toBe('200 LOGIN_SUCCESS');
    const again = await reset(token);
    expect(code(again)).toBe('400 INVALID_TOKEN');
    expect(again.body.detail).toBe('The reset link has expired or was already used; request a new one.');
    const notices = (await mailsTo(service, email)).filter(({ subject }) => subject === 'Your password was changed');
    expect(notices).toHaveLength(1);
  });

  it('takes the newest token only, for 30 minutes only', async () => {
    const { email } = await service.registered();
    const [first, second] = [await resetToken(email), await resetToken(email)];
    expect(second).not.toBe(first);
    expect(code(await reset(first))).toBe('400 INVALID_TOKEN');
    await advance('PT29M');
    expect(code(await reset(second))).toBe('200 PASSWORD_RESET_SUCCESS');
    await advance('PT1H');
    const third = await resetToken(email);
    await advance('PT30M');
    expect(code(await reset(third))).toBe('400 INVALID_TOKEN');
  });

  it('takes no token of another kind, of nobody, or with a letter changed', async () => {
    const { email, cookie, key } = await service.person();
    const confirmation = (await mailsTo(service, email)).map(tokenIn)[0]!;
    const token = await resetToken(email);
    for (const wrong of [
      confirmation,
      cookie.replace('session=', ''),
      key,
      mistyped(token),
      `${token} `,
      'tar_',
      'null',
    ])
      expect(code(await reset(wrong))).toBe('400 INVALID_TOKEN');
    expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
  });

  it('confirms the address, which the link came to', async () => {
    const { email } = await service.registered();
    await reset(await resetToken(email));
    const cookie = cookieOf(await login(email, 'another river bank'));
    expect((await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } })).status).toBe(201);
  });

  it('loses no link while SES is away, and sends it once after', async () => {
    const { email } = await service.registered();
    await mailsTo(service, email);
    await service.post('/_local/faults', { target: 'ses', fault: 'unavailable', count: 6 });
    await resetToken(email);
    const links = (await mailsTo(service, email)).filter(({ subject }) => subject === 'Reset your password');
    expect(links).toHaveLength(1);
  });

  it('leaves no session to a sign-in with the old password that was on its way', async () => {
    const { email, password } = await service.registered();
    const token = await resetToken(email);
    // The guess was right: the sign-in now clears the count of guesses, and opens its session next.
    const { promise: isRight, resolve: right } = Promise.withResolvers<void>();
    const { promise: isReset, resolve: goOn } = Promise.withResolvers<void>();
    onDatabase = async (operation) => {
      if (operation !== 'DeleteItem') return;
      onDatabase = undefined;
      right();
      await isReset;
    };
    const late = login(email, password);
    await isRight;
    expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
    goOn();
    expect(code(await me(cookieOf(await late)))).toBe('401 INVALID_API_KEY');
  });
});

describe('a password that everybody tries first', () => {
  it.each(['password', 'QwertyUiop', '12345678'])(
    '%s is refused at registration, reset and change, naming the field',
    async (common) => {
      const { email, password, cookie } = await service.registered();
      const refusal = (field: string) => ({
        message: 'INVALID_FORMAT',
        error: true,
        data: null,
        status: 400,
        detail: `${field} must not be one of the most common passwords.`,
      });
      const body = { email: `new-${email}`, name: 'New', password_hash: common };
      expect((await post('register', body)).body).toEqual(refusal('password_hash'));
      const token = await resetToken(email);
      expect((await reset(token, common)).body).toEqual(refusal('newPassword'));
      const change = { currentPassword: password, newPassword: common };
      expect((await post('change-password', change, cookie)).body).toEqual(refusal('newPassword'));
      expect(code(await login(email, password))).toBe('200 LOGIN_SUCCESS');
      expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
    },
  );

  it.each(['grace.hopper@example.com', 'Grace.Hopper', 'gracehopper1906!', 'REAR ADMIRAL', 'rear-admiral-1'])(
    '%s is refused where it is one’s own address or name, at registration, reset and change',
    async (own) => {
      const person = { email: 'grace.hopper@example.com', name: 'Rear Admiral', password_hash: 'a quiet river bank' };
      const detail = (field: string) => `${field} must not be your e-mail address or your name.`;
      const refused = await post('register', { ...person, password_hash: own });
      expect([refused.status, refused.body.detail]).toEqual([400, detail('password_hash')]);
      const { cookie } = await service.registered();
      await service.call('PATCH', '/api/auth/me', { cookie, body: { name: person.name } });
      const change = { currentPassword: 'not the password', newPassword: own };
      const mine = /^rear/i.test(own);
      const changed = await post('change-password', change, cookie);
      expect(changed.body.detail).toBe(mine ? detail('newPassword') : 'The e-mail address or the password is wrong.');
    },
  );

  it.each([
    [{ newPassword: 'x'.repeat(7) }, 'newPassword must have at least 8 characters.'],
    [{ newPassword: 'x'.repeat(129) }, 'newPassword must have at most 128 characters.'],
    [{ newPassword: 5 }, 'newPassword must be a string.'],
    [{}, 'newPassword is required.'],
  ])('is not the only bad one: reset with %j is refused and the token stays good', async (body, detail) => {
    const { email } = await service.registered();
    const token = await resetToken(email);
    expect((await post('reset-password', { token, ...body })).body).toMatchObject({ status: 400, detail });
    expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
  });
});

describe('a change of password', () => {
  it('needs the current one, ends the other sessions, and goes on in a new one', async () => {
    const { email, password, cookie } = await service.registered();
    const other = cookieOf(await login(email, password));
    const wrong = { currentPassword: 'not the password', newPassword: 'another river bank' };
    expect(code(await post('change-password', wrong, cookie))).toBe('401 INVALID_CREDENTIALS');
    expect([code(await me(cookie)), code(await me(other))]).toEqual(times(2, () => '200 SUCCESS'));
    const right = { ...wrong, currentPassword: password };
    const changed = await post('change-password', right, cookie);
    expect(changed.body).toEqual({ message: 'SUCCESS', error: false, data: null, status: 200 });
    expect(code(await me(cookieOf(changed)))).toBe('200 SUCCESS');
    expect([code(await me(cookie)), code(await me(other))]).toEqual(times(2, () => '401 INVALID_API_KEY'));
    expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
    expect(code(await login(email, 'another river bank'))).toBe('200 LOGIN_SUCCESS');
    expect((await mailsTo(service, email))[0]?.subject).toBe('Your password was changed');
  });

  it('has one winner when many come at once, and nobody is left out without saying so', async () => {
    const { email, password, cookie } = await service.registered();
    const answers = await Promise.all(
      times(4, (index) => {
        const body = { currentPassword: password, newPassword: `a river bank, number ${index}` };
        return post('change-password', body, cookie);
      }),
    );
    const winners = answers.flatMap((answer, index) => (answer.status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(code(await login(email, `a river bank, number ${winners[0]}`))).toBe('200 LOGIN_SUCCESS');
  });
});

describe('a change of name', () => {
  it('changes the name and nothing else, whatever else the body says', async () => {
    const { email, id, cookie } = await service.registered();
    const body = { name: 'Grace', role: 'operator', id: 7, email: 'other@example.com', isSubscribe: true, quota: 5 };
    const answer = await service.call('PATCH', '/api/auth/me', { cookie, body });
    expect(answer.body.data).toEqual({ id, email, name: 'Grace', role: 'viewer' });
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
    const answers = [
      await post('delete-account', { email: 'other@example.com', password }, cookie),
      await post('delete-account', { email, password: 'not the password' }, cookie),
      await post('delete-account', { email }, cookie),
    ];
    expect(answers.map(code)).toEqual(['400 INVALID_FORMAT', '401 INVALID_CREDENTIALS', '401 INVALID_CREDENTIALS']);
    expect(code(await me(cookie))).toBe('200 SUCCESS');
  });

  it('ends keys, sessions, links and sign-in at once, and frees the address', async () => {
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

// Last, as a mail that is tried for ever would hold up those of the other tests.
describe('an address that no mail server would take', () => {
  it('holds up nobody else: their links come, whatever SES says of its own', async () => {
    const body = { email: `${'x'.repeat(65)}@example.com`, name: 'Long', password_hash: 'a quiet river bank' };
    await post('register', body);
    const { email } = await service.registered();
    expect(await service.mailedToken(email)).toMatch(/^tac_/);
  });
});
