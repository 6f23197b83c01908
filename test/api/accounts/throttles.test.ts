import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { times } from '#test/many.ts';
import { authCalls, inTurn, signedIn, tooMany, wrong } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { type ApiResponse, code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { post, login, guess, forgot, advance } = authCalls(() => service);
const retryAfter = ({ headers }: ApiResponse) => Number(headers.get('retry-after'));

let people = 0;
const somebodyUnknown = () => Promise.resolve({ email: `unknown-${++people}@example.com` });

describe('password guesses', () => {
  it.each([
    ['a known address', () => service.registered()],
    ['an unknown address', somebodyUnknown],
  ])('for %s are free five times, then refused for 30 s, then for 60 s', async (_, somebody) => {
    const { email } = await somebody();
    expect((await inTurn(5, () => guess(email))).map(code)).toEqual(times(5, () => wrong));
    for (const seconds of [30, 60]) {
      const refused = await guess(email.toUpperCase());
      expect(code(refused)).toBe(tooMany);
      expect(retryAfter(refused)).toBeGreaterThan(seconds - 5);
      expect(retryAfter(refused)).toBeLessThanOrEqual(seconds);
      await advance(`PT${retryAfter(refused)}S`);
      expect(code(await guess(email))).toBe(wrong);
    }
  });

  it('return 429 during the wait, even with the correct password', async () => {
    const { email, password } = await service.registered();
    await inTurn(5, () => guess(email));
    const [wrongOne, right] = [await guess(email), await login(email, password)];
    expect([code(wrongOne), code(right)]).toEqual([tooMany, tooMany]);
    expect(right.headers.getSetCookie()).toEqual([]);
    await advance(`PT${retryAfter(right)}S`);
    expect(code(await login(email, password))).toBe(signedIn);
  });

  it('are counted from zero again after the correct password', async () => {
    const { email, password } = await service.registered();
    for (const _ of times(2, String)) {
      await inTurn(4, () => guess(email));
      expect(code(await login(email, password))).toBe(signedIn);
    }
    expect((await inTurn(5, () => guess(email))).map(code)).toEqual(times(5, () => wrong));
    expect(code(await guess(email))).toBe(tooMany);
  });

  it('share one counter with changes of password and address and with account deletion', async () => {
    const { email, password, cookie } = await service.person();
    const send = async (typed: string) => [
      await post('change-password', { currentPassword: typed, newPassword: 'another river bank' }, cookie),
      await post('delete-account', { email, password: typed }, cookie),
      await post('email-change', { email: 'elsewhere@example.com', password: typed }, cookie),
    ];
    const guesses = [...(await send('not the password')), ...(await send('not the password'))];
    expect(guesses.map(code)).toEqual([...times(5, () => wrong), tooMany]);
    expect([await login(email, password), ...(await send(password))].map(code)).toEqual(times(4, () => tooMany));
  });
});

describe('emails to one address', () => {
  it('are limited to 3 more confirmation links an hour, then refused with Retry-After', async () => {
    const { cookie, email } = await service.registered();
    const resend = () => service.call('POST', '/api/auth/resend-confirmation', { cookie });
    const responses = await inTurn(4, resend);
    expect(responses.map(code)).toEqual([...times(3, () => '200 CONFIRMATION_LINK_SENT'), tooMany]);
    expect(await mailsTo(service, email)).toHaveLength(1 + 3);
    expect(retryAfter(responses[3]!)).toBeGreaterThan(3500);
    await advance(`PT${retryAfter(responses[3]!)}S`);
    expect(code(await resend())).toBe('200 CONFIRMATION_LINK_SENT');
  });
});

describe('the limits of a network', () => {
  let restore: () => void;
  beforeAll(() => {
    restore = withEnvironment({ NETWORK_LIMITS: 'on' });
  });
  afterAll(() => restore());

  it('allow 20 wrong passwords in 5 minutes over all accounts, then refuse every sign-in until the retry time', async () => {
    await advance('PT1H');
    const owner = await service.registered();
    const responses = await inTurn(21, (index) => guess(`sprayed-${index}@example.com`));
    expect(responses.map(code)).toEqual([...times(20, () => wrong), tooMany]);
    expect(code(await login(owner.email, owner.password))).toBe(tooMany);
    const refused = await guess('sprayed-again@example.com');
    expect(retryAfter(refused)).toBeLessThanOrEqual(300);
    await advance(`PT${retryAfter(refused)}S`);
    expect(code(await login(owner.email, owner.password))).toBe(signedIn);
  });

  it('allow any number of sign-ins with the correct password', async () => {
    await advance('PT1H');
    const people = [await service.registered(), await service.registered()];
    const responses = await inTurn(21, (index) => login(people[index % 2]!.email, people[index % 2]!.password));
    expect(new Set(responses.map(code))).toEqual(new Set([signedIn]));
  });

  it('allow 20 emails an hour over all addresses, including registrations', async () => {
    await advance('PT1H');
    const registered = await inTurn(10, (index) =>
      post('register', { email: `mass-${index}@example.com`, name: 'Mass', password_hash: 'a quiet river bank' }),
    );
    const requested = await inTurn(11, (index) => forgot(`anybody-${index}@example.com`));
    expect([...registered, ...requested].map(code)).toEqual([
      ...times(10, () => '201 CONFIRMATION_LINK_SENT'),
      ...times(10, () => '200 RESET_LINK_SENT'),
      tooMany,
    ]);
    expect(retryAfter(requested.at(-1)!)).toBeGreaterThan(3500);
  });
});
