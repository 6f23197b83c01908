import { describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

/** Runs when the functions send an operation to the database; the call waits for it. */
let onDatabase: ((operation: string) => void | Promise<void>) | undefined;
const service = useTestService({ onDynamoRequest: (operation) => onDatabase?.(operation) });
const { post, me, login, reset, resetToken, advance } = authCalls(() => service);

describe('a common password', () => {
  const refusal = (field: string) => ({
    status: 400,
    detail: `${field} must not be one of the most common passwords.`,
  });

  it.each([
    'password',
    'QwertyUiop',
    '12345678',
    'abcdefgh',
    'aaaaaaaa',
    '        ',
    'TextAIPlatform',
    'platform-2026!',
  ])('%s is refused at registration, with the field', async (common) => {
    const refused = await post('register', { email: 'new@example.com', name: 'New', password_hash: common });
    expect(refused.body).toMatchObject(refusal('password_hash'));
  });

  it('is refused at a reset and a change, which then succeeds with another password', async () => {
    const { email, password, cookie } = await service.registered();
    const token = await resetToken(email);
    expect((await reset(token, 'password')).body).toMatchObject(refusal('newPassword'));
    const change = { currentPassword: password, newPassword: 'password' };
    expect((await post('change-password', change, cookie)).body).toMatchObject(refusal('newPassword'));
    expect(code(await login(email, password))).toBe('200 LOGIN_SUCCESS');
    expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
  });

  it.each(['grace.hopper@example.com', 'Grace.Hopper', 'gracehopper1906!', 'REAR ADMIRAL', 'rear-admiral-1'])(
    '%s is refused if it is the user’s own address or name, at registration, reset and change',
    async (own) => {
      const person = { email: 'grace.hopper@example.com', name: 'Rear Admiral', password_hash: 'a quiet river bank' };
      const detail = (field: string) => `${field} must not be your email address or your name.`;
      const refused = await post('register', { ...person, password_hash: own });
      expect([refused.status, refused.body.detail]).toEqual([400, detail('password_hash')]);
      const { cookie } = await service.registered();
      await service.call('PATCH', '/api/auth/me', { cookie, body: { name: person.name } });
      const change = { currentPassword: 'not the password', newPassword: own };
      const mine = /^rear/i.test(own);
      const changed = await post('change-password', change, cookie);
      expect(changed.body.detail).toBe(mine ? detail('newPassword') : 'Incorrect email address or password.');
    },
  );

  it.each([
    [{ newPassword: 'x'.repeat(7) }, 'newPassword must have at least 8 characters.'],
    [{ newPassword: 'x'.repeat(129) }, 'newPassword must have at most 128 characters.'],
    [{ newPassword: 5 }, 'newPassword must be a string.'],
    [
      { newPassword: `short${'\0'.repeat(12)}` },
      'newPassword must not contain control characters such as tabs, line breaks or NUL.',
    ],
    [
      { newPassword: 'a quiet\triver bank' },
      'newPassword must not contain control characters such as tabs, line breaks or NUL.',
    ],
    [{}, 'newPassword is required.'],
  ])('is reported among other errors: a reset with %j fails, and its token stays valid', async (body, detail) => {
    const { email } = await service.registered();
    const token = await resetToken(email);
    expect((await post('reset-password', { token, ...body })).body).toMatchObject({ status: 400, detail });
    expect(code(await reset(token))).toBe('200 PASSWORD_RESET_SUCCESS');
  });
});

describe('a password change', () => {
  it('requires the current password, ends the other sessions, and opens a new one', async () => {
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

  it('succeeds for one of several concurrent requests, and the others return an error', async () => {
    const { email, password, cookie } = await service.registered();
    const responses = await Promise.all(
      times(4, (index) => {
        const body = { currentPassword: password, newPassword: `a river bank, number ${index}` };
        return post('change-password', body, cookie);
      }),
    );
    const winners = responses.flatMap((response, index) => (response.status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    const losers = responses.filter(({ status }) => status !== 200).map(code);
    const late = new Set(['409 INVALID_STATE', '401 INVALID_CREDENTIALS', '401 INVALID_API_KEY']);
    expect(losers.filter((loser) => !late.has(loser))).toEqual([]);
    expect(code(await login(email, `a river bank, number ${winners[0]}`))).toBe('200 LOGIN_SUCCESS');
  });
});

describe('a password reset', () => {
  it('returns the same bytes for known and unknown addresses, and emails only the known one', async () => {
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

  it('replaces the password, ends all sessions, and sends a notice', async () => {
    const { email, password, cookie } = await service.registered();
    const other = cookieOf(await login(email, password));
    const response = await reset(await resetToken(email.toUpperCase().toLowerCase()));
    expect(response.body).toEqual({ message: 'PASSWORD_RESET_SUCCESS', error: false, data: null, status: 200 });
    expect(response.headers.getSetCookie().join()).not.toContain('session=');
    expect([code(await me(cookie)), code(await me(other))]).toEqual(times(2, () => '401 INVALID_API_KEY'));
    expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
    expect(code(await login(email, 'another river bank'))).toBe('200 LOGIN_SUCCESS');
    const subjects = (await mailsTo(service, email)).map(({ subject }) => subject);
    expect(subjects.slice(0, 2)).toEqual(['New sign-in to your account', 'Your password was changed']);
  });

  it('succeeds for one of 30 concurrent requests, and sets the password of that request', async () => {
    const { email } = await service.registered();
    const token = await resetToken(email);
    const responses = await Promise.all(times(30, (index) => reset(token, `a river bank, number ${index}`)));
    const winners = responses.flatMap((response, index) => (response.status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(new Set(responses.filter(({ status }) => status !== 200).map(code))).toEqual(new Set(['400 INVALID_TOKEN']));
    expect(code(await login(email, `a river bank, number ${winners[0]}`))).toBe('200 LOGIN_SUCCESS');
    const again = await reset(token);
    expect(code(again)).toBe('400 INVALID_TOKEN');
    expect(again.body.detail).toBe('The reset link has expired or was already used. Request a new one.');
    const notices = (await mailsTo(service, email)).filter(({ subject }) => subject === 'Your password was changed');
    expect(notices).toHaveLength(1);
  });

  it('accepts only the newest token, for 30 minutes', async () => {
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

  it('rejects tokens of another kind, unknown tokens, and tokens with a changed letter', async () => {
    const { email, cookie, key } = await service.person();
    const confirmation = (await mailsTo(service, email)).map(tokenIn).find((found) => found !== '')!;
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

  it('confirms the address to which the link was sent', async () => {
    const { email } = await service.registered();
    await reset(await resetToken(email));
    const cookie = cookieOf(await login(email, 'another river bank'));
    expect((await service.call('POST', '/api/keys', { cookie, body: { name: 'first' } })).status).toBe(201);
  });

  it('revokes the session of a concurrent sign-in with the old password', async () => {
    const { email, password } = await service.registered();
    const token = await resetToken(email);
    // The guess was right: the sign-in is about to clear the count of guesses, and then opens its session.
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

// Runs last, because the retries of this email would delay the emails of other tests.
describe('an undeliverable address', () => {
  it('does not delay the emails of others, whatever error SES returns for it', async () => {
    const body = { email: `${'x'.repeat(65)}@example.com`, name: 'Long', password_hash: 'a quiet river bank' };
    await post('register', body);
    const { email } = await service.registered();
    expect(await service.mailedToken(email)).toMatch(/^tac_/);
  });
});
