import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { authCalls } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { code, cookieOf, startTestService, type TestService } from '#test/service/service.ts';

/** Runs when the functions send an operation to the database; the call waits for it. */
let onDatabase: ((operation: string) => void | Promise<void>) | undefined;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ onDynamoRequest: (operation) => onDatabase?.(operation) });
});
afterAll(() => service.close());

const { post, me, login, forgot, reset, advance } = authCalls(() => service);

/** The token of a reset link that is requested now. */
async function resetToken(email: string): Promise<string> {
  expect(code(await forgot(email))).toBe('200 RESET_LINK_SENT');
  return tokenIn((await mailsTo(service, email))[0]);
}

describe('a forgotten password', () => {
  it('gets the same response, to the byte, for a known and an unknown address; a link comes to the known one only', async () => {
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
    const response = await reset(await resetToken(email.toUpperCase().toLowerCase()));
    expect(response.body).toEqual({ message: 'PASSWORD_RESET_SUCCESS', error: false, data: null, status: 200 });
    expect(response.headers.getSetCookie().join()).not.toContain('session=');
    expect([code(await me(cookie)), code(await me(other))]).toEqual(times(2, () => '401 INVALID_API_KEY'));
    expect(code(await login(email, password))).toBe('401 INVALID_CREDENTIALS');
    expect(code(await login(email, 'another river bank'))).toBe('200 LOGIN_SUCCESS');
    expect((await mailsTo(service, email))[0]?.subject).toBe('Your password was changed');
  });

  it('is replaced once of 100 concurrent times, by exactly one of the passwords', async () => {
    const { email } = await service.registered();
    const token = await resetToken(email);
    const responses = await Promise.all(times(100, (index) => reset(token, `a river bank, number ${index}`)));
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

// Last, as a mail that is tried for ever would hold up those of the other tests.
describe('an address that no mail server would take', () => {
  it('holds up nobody else: their links come, whatever SES returns for its own', async () => {
    const body = { email: `${'x'.repeat(65)}@example.com`, name: 'Long', password_hash: 'a quiet river bank' };
    await post('register', body);
    const { email } = await service.registered();
    expect(await service.mailedToken(email)).toMatch(/^tac_/);
  });
});
