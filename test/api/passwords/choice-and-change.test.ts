import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const { post, me, login, forgot, reset } = authCalls(() => service);

/** The token of a reset link that is requested now. */
async function resetToken(email: string): Promise<string> {
  expect(code(await forgot(email))).toBe('200 RESET_LINK_SENT');
  return tokenIn((await mailsTo(service, email))[0]);
}

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
  ])('is not the only one refused: a reset with %j fails and the token stays valid', async (body, detail) => {
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

  it('has one winner when many come concurrently, and nobody is left out without an error', async () => {
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
