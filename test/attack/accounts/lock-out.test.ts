import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import {
  authCalls,
  deviceOf,
  inTurn,
  setCookies,
  signedIn,
  tooMany,
  wrong,
} from '#test/requests/accounts/auth-calls.ts';
import { mailsTo, tokenIn } from '#test/requests/accounts/inbox.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { type ApiResponse, code, cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { post, login, forgot, reset, guess, advance, links, owner } = authCalls(() => service);

const created = '201 CONFIRMATION_LINK_SENT';
const removed = '200 SUCCESS';

/** Registers with the address and deletes that account immediately with its own password. Returns the outcome. */
async function registeredAndDeleted(email: string): Promise<{ registered: string; deleted: string }> {
  const password = 'a quiet river bank';
  const response = await post('register', { email, name: 'Stranger', password_hash: password });
  const deletion = await post('delete-account', { email, password }, cookieOf(response));
  return { registered: code(response), deleted: code(deletion) };
}

describe('an attacker with a known address', { timeout: 120_000 }, () => {
  it('can guess only as often as the waits allow, while the owner signs in from a known device', async () => {
    const { email, password, device } = await owner();
    const codes: string[] = [];
    const waits: string[] = [];
    for (let attempt = 0; attempt < 200; attempt++) {
      const response = await guess(email);
      codes.push(code(response));
      if (attempt % 20 !== 19) continue;
      expect(code(await login(email, password, device))).toBe(signedIn);
      waits.push(String(response.headers.get('retry-after')));
      await advance(`PT${waits.at(-1)}S`);
    }
    expect(codes.filter((one) => one === wrong)).toHaveLength(5 + 9);
    expect(Number(waits.at(-1))).toBeGreaterThan(3500);
    expect(code(await guess(email))).toBe(wrong);
    expect(code(await login(email, password))).toBe(tooMany);
    expect(code(await login(email, password, device))).toBe(signedIn);
  });

  it('cannot prevent the owner from resetting the password, with 200 guesses and 50 reset requests', async () => {
    const { email } = await owner();
    const guesses = await Promise.all(times(200, () => guess(email)));
    await inTurn(50, () => forgot(email));
    expect(guesses.filter((response) => code(response) === wrong).length).toBeLessThanOrEqual(5);
    await advance('PT10M');
    const before = (await links(email)).length;
    await forgot(email);
    const mails = await links(email);
    expect(mails).toHaveLength(before + 1);
    const done = await reset(tokenIn(mails[0]), 'another river bank');
    expect(code(done)).toBe('200 PASSWORD_RESET_SUCCESS');
    await inTurn(6, () => guess(email));
    expect(code(await login(email, 'another river bank', deviceOf(done)))).toBe(signedIn);
  });

  it("cannot invalidate the owner's links by requesting more, once the hourly links are used", async () => {
    const { email } = await owner();
    await inTurn(4, () => forgot(email));
    const [own] = await links(email);
    await inTurn(2, async () => {
      await advance('PT10M');
      await forgot(email);
    });
    expect(await links(email)).toHaveLength(3 + 1 + 2);
    await advance('PT9M');
    expect(code(await reset(tokenIn(own), 'another river bank'))).toBe('200 PASSWORD_RESET_SUCCESS');
    const others = (await links(email)).map(tokenIn);
    for (const token of others) expect(code(await reset(token, 'a third river bank'))).toBe('400 INVALID_TOKEN');
  });

  it('triggers at most 9 link emails in an hour, and 3 to an unconfirmed address', async () => {
    const [confirmed, unconfirmed] = [await service.person(), await service.registered()];
    await mailsTo(service, unconfirmed.email);
    await advance('P1D');
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await Promise.all([confirmed, unconfirmed].flatMap(({ email }) => times(4, () => forgot(email))));
      await advance('PT10M');
    }
    expect(await links(confirmed.email)).toHaveLength(9);
    expect(await links(unconfirmed.email)).toHaveLength(3);
  });

  it('cannot stop a signed-in owner from changing the password or deleting the account', async () => {
    const { email, password, cookie } = await owner();
    await inTurn(12, () => guess(email));
    const change = { currentPassword: password, newPassword: 'another river bank' };
    const changed = await post('change-password', change, cookie);
    expect(code(changed)).toBe('200 SUCCESS');
    await inTurn(12, () => guess(email));
    expect(code(await login(email, 'another river bank', deviceOf(changed)))).toBe(signedIn);
    const gone = await post('delete-account', { email, password: 'another river bank' }, cookieOf(changed));
    expect(code(gone)).toBe('200 SUCCESS');
  });

  it("in the owner's network cannot stop a sign-in from a known device", async () => {
    const { email, password, device } = await owner();
    const restore = withEnvironment({ NETWORK_LIMITS: 'on' });
    try {
      await inTurn(21, (index) => guess(`neighbour-${index}@example.com`));
      expect(code(await login(email, password))).toBe(tooMany);
      expect(code(await login(email, password, device))).toBe(signedIn);
    } finally {
      restore();
    }
  });

  it("cannot use up the owner's links by registering first", async () => {
    const { email, cookie } = await service.registered();
    for (let hour = 0; hour < 4; hour++) {
      await inTurn(3, () => service.call('POST', '/api/auth/resend-confirmation', { cookie }));
      for (let minutes = 0; minutes < 60; minutes += 20) {
        await advance('PT20M');
        await service.call('GET', '/api/auth/me', { cookie });
      }
    }
    await forgot(email);
    const [link] = await links(email);
    expect(code(await reset(tokenIn(link), 'another river bank'))).toBe('200 PASSWORD_RESET_SUCCESS');
    expect(code(await service.call('GET', '/api/auth/me', { cookie }))).toBe('401 INVALID_API_KEY');
  });

  it('cannot stop the owner from registering by registering first and deleting the account repeatedly', async () => {
    const body = { email: 'squatted@example.com', name: 'Squat', password_hash: 'a quiet river bank' };
    const cycle = () => registeredAndDeleted(body.email);
    expect((await inTurn(3, cycle)).map(({ deleted }) => deleted)).toEqual(times(3, () => removed));
    expect(code(await post('register', { ...body, password_hash: 'the river of an owner' }))).toBe(created);

    const held = 'held@example.com';
    const cycles = await inTurn(6, () => registeredAndDeleted(held));
    expect(cycles.map(({ registered }) => registered)).toEqual([
      ...times(4, () => created),
      ...times(2, () => '409 EMAIL_ALREADY_REGISTERED'),
    ]);
    await forgot(held);
    const [link] = await links(held);
    const done = await reset(tokenIn(link), 'another river bank');
    expect(code(done)).toBe('200 PASSWORD_RESET_SUCCESS');
    expect(code(await login(held, 'another river bank'))).toBe(signedIn);
  });

  it('can trigger at most 4 emails a day by registering and deleting repeatedly, none of them a notice', async () => {
    const email = 'flooded@example.com';
    const cycles = await inTurn(6, () => registeredAndDeleted(email));
    expect(cycles.map(({ deleted }) => deleted)).toEqual([
      ...times(3, () => removed),
      tooMany,
      ...times(2, () => '401 INVALID_API_KEY'),
    ]);
    const mails = await mailsTo(service, email);
    expect(mails.map(({ subject }) => subject)).toEqual(times(4, () => 'Confirm your email address'));
  });

  it('cannot stop confirmed users from deleting their account as often as they like', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const email = 'comes-and-goes@example.com';
      const { headers } = await post('register', { email, name: 'Comes', password_hash: 'a quiet river bank' });
      const cookie = cookieOf({ headers } as ApiResponse);
      const token = tokenIn((await mailsTo(service, email))[0]);
      await service.call('GET', `/api/auth/confirm?token=${token}`, { cookie });
      expect(code(await post('delete-account', { email, password: 'a quiet river bank' }, cookie))).toBe(removed);
    }
  });
});

describe('a known device', () => {
  it('is a cookie that scripts cannot read, and is set only after proof of the account', async () => {
    const { email, password, device } = await owner();
    const form = /^device=tad_\w{58}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/;
    const known = await login(email, password);
    expect(setCookies(known).map((cookie) => cookie.split('=')[0])).toEqual(['session', 'device']);
    expect(setCookies(known)[1]).toMatch(form);
    const nothing = [
      await guess(email),
      await guess(email, device),
      await guess('nobody@example.com'),
      await forgot(email),
      await forgot('nobody@example.com'),
      await reset('tar_x', 'another river bank'),
    ];
    expect(nothing.flatMap(setCookies)).toEqual([]);
    const restore = withEnvironment({ SESSION_COOKIE: '__Host-session' });
    try {
      const deployed = await login(email, password, `__Host-${device}`);
      expect(setCookies(deployed).map((cookie) => cookie.split('=')[0])).toEqual(['__Host-session']);
      expect(setCookies(await login(email, password))[1]).toMatch(/^__Host-device=tad_\w{58}; .*; Secure$/);
    } finally {
      restore();
    }
    expect(JSON.stringify(await rowsOf('accounts'))).not.toContain(device.slice('device='.length));
  });

  it('is not a session and grants no access', async () => {
    const { device } = await owner();
    const value = device.slice('device='.length);
    expect(code(await service.call('GET', '/api/auth/me', { cookie: device }))).toBe('401 INVALID_API_KEY');
    expect(code(await service.call('GET', '/api/auth/me', { cookie: `session=${value}` }))).toBe('401 INVALID_API_KEY');
    expect(code(await service.call('GET', '/api/auth/me', { key: value }))).toBe('401 INVALID_API_KEY');
  });

  it('allows five guesses if it is stolen, then doubles the wait, independently of other guesses', async () => {
    const { email, password, device } = await owner();
    expect((await inTurn(7, () => guess(email, device))).map(code)).toEqual([
      ...times(5, () => wrong),
      tooMany,
      tooMany,
    ]);
    expect(code(await login(email, password, device))).toBe(tooMany);
    const other = await login(email, password);
    expect(code(other)).toBe(signedIn);
    expect(code(await login(email, password, deviceOf(other)))).toBe(signedIn);
    const crowd = await Promise.all(times(50, () => guess(email, deviceOf(other))));
    expect(crowd.filter((response) => code(response) === wrong).length).toBeLessThanOrEqual(5);
  });

  it('of one account is unknown to every other account and to an address without one', async () => {
    const [one, other] = [await owner(), await owner()];
    await inTurn(5, () => guess(other.email, one.device));
    expect(code(await login(other.email, other.password, one.device))).toBe(tooMany);
    expect(code(await login(other.email, other.password, other.device))).toBe(signedIn);
    expect(code(await login(other.email, other.password, `device=theirs; ${other.device}`))).toBe(signedIn);
    await inTurn(5, () => guess('nobody-at-all@example.com', one.device));
    expect(code(await guess('nobody-at-all@example.com', one.device))).toBe(tooMany);
    expect(code(await login(one.email, one.password, one.device))).toBe(signedIn);
  });

  it('is forgotten after 180 days, and when the password changes', async () => {
    const { email, password, device } = await owner();
    await forgot(email);
    await reset(tokenIn((await links(email))[0]), 'another river bank');
    await inTurn(5, () => guess(email));
    expect(code(await login(email, 'another river bank', device))).toBe(tooMany);
    const late = await owner();
    await advance('P180D');
    await inTurn(5, () => guess(late.email));
    expect(code(await login(late.email, late.password, late.device))).toBe(tooMany);
    expect(password).not.toBe('another river bank');
  });

  it('counts towards a limit of ten, and is not displaced by sign-ins without a device', async () => {
    const { id, email, password, device } = await owner();
    const stored = async () =>
      (await rowsOf('accounts')).filter(({ pk, sk }) => pk === `user#${id}` && String(sk).startsWith('device#'));
    expect(await stored()).toHaveLength(2);
    const others = await inTurn(12, () => login(email, password));
    expect(await stored()).toHaveLength(10);
    const knows = async (shown: string) => code(await login(email, password, shown)) === signedIn;
    await inTurn(6, () => guess(email));
    expect(await knows(device)).toBe(true);
    expect(await knows(deviceOf(others[2]!))).toBe(true);
    expect(await knows(deviceOf(others[10]!))).toBe(false);
    expect(await knows(deviceOf(others[11]!))).toBe(true);
    expect(await stored()).toHaveLength(10);
  });

  it('that was used displaces unused devices first, then the least recently used', async () => {
    const { email, password, device } = await owner();
    const browsers = (await inTurn(8, () => login(email, password))).map(deviceOf);
    await advance('P2D');
    await inTurn(8, (index) => login(email, password, browsers[index]));
    await login(email, password, device);
    const latest = deviceOf(await login(email, password));
    await login(email, password, latest);
    await advance('P2D');
    await login(email, password, browsers[0]);
    const last = deviceOf(await login(email, password));
    await inTurn(6, () => guess(email));
    const shown = [...browsers, device, latest, last];
    const outcomes = await inTurn(shown.length, (index) => login(email, password, shown[index]));
    expect(outcomes.map(code)).toEqual(shown.map((one) => (one === browsers[1] ? tooMany : signedIn)));
  });

  it('records its use at most once a day', async () => {
    const { email, password, device } = await owner();
    const uses = async () => (await rowsOf('accounts')).map(({ lastUsedAt }) => lastUsedAt).filter(Boolean);
    const before = await uses();
    await login(email, password, device);
    const first = await uses();
    await advance('PT1H');
    await login(email, password, device);
    expect(first).toHaveLength(before.length + 1);
    expect(new Set(await uses())).toEqual(new Set(first));
    await advance('P1D');
    await login(email, password, device);
    expect(new Set(await uses())).not.toEqual(new Set(first));
  });
});
