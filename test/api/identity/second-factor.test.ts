import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { setCookies, signedIn, tooMany, wrong } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { factorCalls, pendingOf } from '#test/requests/accounts/second-factor.ts';
import { code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();
const {
  post,
  me,
  login,
  advance,
  identityToken,
  resetToken,
  owner,
  codeOf,
  nextStep,
  second,
  turnOff,
  enrolled,
  firstStep,
} = factorCalls(() => service);

const required = '401 SECOND_FACTOR_REQUIRED';
const other = '000000';

describe('an authenticator app', () => {
  it('changes nothing until a code confirms it, which returns ten recovery codes once', async () => {
    const { email, password, cookie } = await service.person();
    const { body } = await post('totp/setup', {}, cookie);
    expect(body.data).toEqual({ secret: expect.stringMatching(/^[A-Z2-7]{32}$/), otpauthUrl: expect.any(String) });
    const url = new URL(body.data.otpauthUrl);
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
      'otpauth:',
      'totp',
      expect.stringMatching(new RegExp(`.+:${email}$`)),
    ]);
    expect(url.searchParams.get('secret')).toBe(body.data.secret);
    expect(code(await login(email, password))).toBe(signedIn);
    expect(code(await post('totp/confirm', { code: other }, cookie))).toBe(wrong);
    const confirmed = await post('totp/confirm', { code: await codeOf(body.data.secret) }, cookie);
    expect(confirmed.body.data.recoveryCodes).toHaveLength(10);
    expect(new Set(confirmed.body.data.recoveryCodes).size).toBe(10);
    expect((await me(cookieOf(confirmed))).body.data).toMatchObject({ hasSecondFactor: true });
    expect(code(await login(email, password))).toBe(required);
    expect((await mailsTo(service, email))[0]).toMatchObject({ subject: 'Two-step sign-in was turned on' });
  });

  it('ends all other sessions and reset links when it is confirmed or removed, and returns a new cookie', async () => {
    const person = await service.person();
    const elsewhere = cookieOf(await login(person.email, person.password));
    const token = await resetToken(person.email);
    const { secret } = (await post('totp/setup', {}, person.cookie)).body.data;
    const confirmed = await post('totp/confirm', { code: await codeOf(secret) }, person.cookie);
    const current = cookieOf(confirmed);
    expect([(await me(elsewhere)).status, (await me(person.cookie)).status, (await me(current)).status]).toEqual([
      401, 401, 200,
    ]);
    expect(code(await post('reset-password', { token, newPassword: 'another river bank' }))).toBe('400 INVALID_TOKEN');
    await nextStep();
    const removed = await turnOff(current, { code: await codeOf(secret) });
    expect([code(removed), (await me(current)).status, (await me(cookieOf(removed))).status]).toEqual([
      '200 SUCCESS',
      401,
      200,
    ]);
    expect(code(await login(person.email, person.password))).toBe(signedIn);
  });

  it('needs a session of the last 10 minutes, or a proof of the owner', async () => {
    const { cookie, password } = await service.person();
    await advance('PT11M');
    expect(code(await post('totp/setup', {}, cookie))).toBe(wrong);
    expect(code(await post('totp/setup', { password: 'not the password' }, cookie))).toBe(wrong);
    expect(code(await post('totp/setup', { password }, cookie))).toBe('200 SUCCESS');
  });

  it('is set up again only after it is removed, and a setup expires after an hour', async () => {
    const { cookie } = await enrolled();
    expect(code(await post('totp/setup', {}, cookie))).toBe('409 INVALID_STATE');
    expect(code(await post('totp/confirm', { code: other }, cookie))).toBe('409 INVALID_STATE');
    const person = await service.person();
    const { secret } = (await post('totp/setup', {}, person.cookie)).body.data;
    await advance('PT61M');
    expect(code(await post('totp/confirm', { code: await codeOf(secret) }, person.cookie))).toBe('409 INVALID_STATE');
    expect(code(await turnOff(person.cookie, { code: other }))).toBe('409 INVALID_STATE');
  });
});

describe('the second step of a sign-in', () => {
  it('needs the cookie of the first, which opens no session, and returns what a sign-in returns', async () => {
    const person = await enrolled();
    const first = await login(person.email, person.password);
    expect(code(first)).toBe(required);
    expect(setCookies(first)).toEqual([
      expect.stringMatching(/^second-factor=taf_\w{58}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/),
    ]);
    await nextStep();
    const body = { code: await codeOf(person.secret) };
    expect(code(await second('', body))).toBe(wrong);
    const done = await second(pendingOf(first), body);
    const user = { id: person.id, email: person.email, name: expect.any(String), role: 'viewer', isSubscribe: false };
    expect([code(done), done.body.data]).toEqual([signedIn, user]);
    expect(
      setCookies(done)
        .map((cookie) => cookie.split(/[=;]/, 2).join(' '))
        .toSorted(),
    ).toEqual([expect.stringMatching(/^device tad_/), 'second-factor ', expect.stringMatching(/^session tas_/)]);
    expect((await me(cookieOf(done))).status).toBe(200);
  });

  it('accepts a code once, one step early or late, and none before it', async () => {
    const person = await enrolled();
    const at = async (steps: number) =>
      code(await second(await firstStep(person), { code: await codeOf(person.secret, steps) }));
    expect(await at(0)).toBe(wrong);
    expect(await at(2)).toBe(wrong);
    expect(await at(1)).toBe(signedIn);
    expect([await at(1), await at(0), await at(-1)]).toEqual([wrong, wrong, wrong]);
    await advance('PT1M');
    expect([await at(-2), await at(0)]).toEqual([wrong, signedIn]);
  });

  it('accepts a code once of 5 concurrent requests with the same cookie or with others', async () => {
    const person = await enrolled();
    await nextStep();
    const [own, same] = [await Promise.all(times(3, () => firstStep(person))), await firstStep(person)];
    const body = { code: await codeOf(person.secret) };
    const all = await Promise.all([...own, same, same].map((cookie) => second(cookie, body)));
    expect(all.map(code).filter((one) => one === signedIn)).toHaveLength(1);
  });

  it('has a cookie that works once, for 5 minutes, and for nothing else', async () => {
    const person = await enrolled();
    const [used, late] = [await firstStep(person), await firstStep(person)];
    const recover = (cookie: string, index: number) => second(cookie, { recoveryCode: person.recoveryCodes[index]! });
    expect(code(await recover(used, 0))).toBe(signedIn);
    expect(code(await recover(used, 1))).toBe(wrong);
    const asSession = late.replace('second-factor=', 'session=');
    expect(code(await me(asSession))).toBe('401 INVALID_API_KEY');
    expect(code(await service.call('GET', '/api/keys', { key: late.split('=')[1]! }))).toBe('401 INVALID_API_KEY');
    await advance('PT5M1S');
    expect(code(await recover(late, 1))).toBe(wrong);
  });

  it('is refused after a change of the password', async () => {
    const person = await enrolled();
    const pending = await firstStep(person);
    const change = { currentPassword: person.password, newPassword: 'another river bank' };
    expect((await post('change-password', change, person.cookie)).status).toBe(200);
    expect(code(await second(pending, { recoveryCode: person.recoveryCodes[0]! }))).toBe(wrong);
  });

  it('is also required after a sign-in with Google, but not for linking it in a session', async () => {
    const person = await enrolled();
    const linked = await post('google', { token: await identityToken(person.email) }, person.cookie);
    expect(code(linked)).toBe(signedIn);
    const first = await post('google', { token: await identityToken(person.email) });
    expect([code(first), setCookies(first)]).toEqual([required, [expect.stringMatching(/^second-factor=/)]]);
    expect(code(await second(pendingOf(first), { recoveryCode: person.recoveryCodes[0]! }))).toBe(signedIn);
  });

  it('is not revealed by a sign-in with a wrong password', async () => {
    const [person, plain] = [await enrolled(), await service.person()];
    const [one, two] = [await login(person.email, 'not the password'), await login(plain.email, 'not the password')];
    expect([one.status, one.body, setCookies(one)]).toEqual([two.status, two.body, setCookies(two)]);
  });
});

describe('a recovery code', () => {
  it('works once, in any case and spacing, and its owner receives an email', async () => {
    const person = await enrolled();
    const recoveryCode = ` ${person.recoveryCodes[3]!.toLowerCase().replaceAll('-', ' ')}`;
    expect(code(await second(await firstStep(person), { recoveryCode }))).toBe(signedIn);
    expect(code(await second(await firstStep(person), { recoveryCode }))).toBe(wrong);
    const subjects = (await mailsTo(service, person.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === 'A recovery code was used')).toHaveLength(1);
  });

  it('of another account is refused', async () => {
    const [person, stranger] = [await enrolled(), await enrolled()];
    expect(code(await second(await firstStep(person), { recoveryCode: stranger.recoveryCodes[0]! }))).toBe(wrong);
  });

  it('is stored as a hash, like the cookie of the second step', async () => {
    const person = await enrolled();
    const pending = (await firstStep(person)).split('=')[1]!;
    const stored = JSON.stringify(await rowsOf('accounts'));
    expect(stored).toContain(person.email);
    for (const text of [
      pending,
      ...person.recoveryCodes,
      ...person.recoveryCodes.map((one) => one.replaceAll('-', '')),
    ])
      expect(stored).not.toContain(text);
  });
});

describe('wrong codes', () => {
  it('of 100 concurrent guesses, five are checked and the others refused', async () => {
    const person = await enrolled();
    const cookies = await Promise.all(times(5, () => firstStep(person)));
    const guesses = await Promise.all(times(100, (index) => second(cookies[index % 5]!, { code: other })));
    const counts = Object.groupBy(guesses.map(code), (one) => one);
    expect([counts[wrong]?.length, counts[tooMany]?.length]).toEqual([5, 95]);
    const right = await second(cookies[0]!, { recoveryCode: person.recoveryCodes[0]! });
    expect(code(right)).toBe(tooMany);
    await advance(`PT${right.headers.get('retry-after')}S`);
    expect(code(await second(cookies[0]!, { recoveryCode: person.recoveryCodes[0]! }))).toBe(signedIn);
  });

  it('do not lock out the owner on a known device, or in a session', async () => {
    const person = await enrolled();
    const done = await second(await firstStep(person), { recoveryCode: person.recoveryCodes[0]! });
    const device = setCookies(done)
      .find((cookie) => cookie.startsWith('device='))!
      .split(';')[0]!;
    const pending = await firstStep(person);
    for (const _ of times(5, String)) await second(pending, { code: other });
    const recoveryCode = person.recoveryCodes[1]!;
    expect(code(await second(pending, { recoveryCode }))).toBe(tooMany);
    expect(code(await second(`${pending}; ${device}`, { recoveryCode }))).toBe(signedIn);
    await nextStep();
    expect(code(await turnOff(cookieOf(done), { code: await codeOf(person.secret) }))).toBe('200 SUCCESS');
  });

  it('in a session count for the sign-in too', async () => {
    const person = await enrolled();
    for (const _ of times(5, String)) expect(code(await turnOff(person.cookie, { code: other }))).toBe(wrong);
    expect(code(await turnOff(person.cookie, { code: other }))).toBe(tooMany);
    expect(code(await second(await firstStep(person), { recoveryCode: person.recoveryCodes[0]! }))).toBe(tooMany);
  });

  it.each([{ code: '12345' }, { code: 123_456 }, { code: '1234567' }, {}, { recoveryCode: '' }])(
    'of the form %j return 400 and are not counted',
    async (body) => {
      const person = await enrolled();
      const pending = await firstStep(person);
      for (const _ of times(6, String)) expect(code(await second(pending, body))).toBe('400 INVALID_FORMAT');
      expect(code(await second(pending, { recoveryCode: person.recoveryCodes[0]! }))).toBe(signedIn);
    },
  );
});

describe('an account with a second factor', () => {
  it('needs it to reset the password, and the link stays valid until then', async () => {
    const person = await enrolled();
    const token = await resetToken(person.email);
    const reset = (proof: object) => post('reset-password', { token, newPassword: 'another river bank', ...proof });
    expect([code(await reset({})), code(await reset({ code: other }))]).toEqual([required, wrong]);
    await nextStep();
    expect(code(await reset({ code: await codeOf(person.secret) }))).toBe('200 PASSWORD_RESET_SUCCESS');
    expect(code(await login(person.email, 'another river bank'))).toBe(required);
  });

  it.each([
    ['email-change', () => ({ email: `new-${Math.random()}@example.com` }), '200 CONFIRMATION_LINK_SENT'],
    ['delete-account', (email: string) => ({ email }), '200 SUCCESS'],
  ])('needs it for %s, beside the password', async (path, bodyOf, done) => {
    const person = await enrolled();
    const send = (proof: object) => post(path, { ...bodyOf(person.email), ...proof }, person.cookie);
    const { password } = person;
    const recoveryCode = person.recoveryCodes[0]!;
    expect(code(await send({ password }))).toBe(required);
    expect(code(await send({ recoveryCode }))).toBe(wrong);
    expect(code(await send({ password: 'not the password', recoveryCode }))).toBe(wrong);
    expect(code(await send({ password, code: other }))).toBe(wrong);
    expect(code(await send({ password, recoveryCode }))).toBe(done);
  });

  it('is needed to add a passkey in an old session, even after a change of the password or Google in that session', async () => {
    const person = await enrolled();
    await advance('PT11M');
    let { cookie } = person;
    const body = { currentPassword: person.password, newPassword: 'another river bank' };
    const google = async () => post('google', { token: await identityToken(person.email) }, cookie);
    for (const begin of [() => post('change-password', body, cookie), google, google]) {
      cookie = cookieOf(await begin());
      expect((await me(cookie)).status).toBe(200);
      expect(code(await post('passkeys/options', {}, cookie))).toBe(wrong);
    }
  });

  it('keeps working keys, and its known devices need the second factor too', async () => {
    const person = await owner();
    const again = cookieOf(await login(person.email, person.password, person.device));
    const { secret } = (await post('totp/setup', {}, again)).body.data;
    await post('totp/confirm', { code: await codeOf(secret) }, again);
    expect((await service.call('GET', '/api/auth/me', { key: person.key })).status).toBe(200);
    expect(code(await login(person.email, person.password, person.device))).toBe(required);
  });
});
