import { describe, expect, it } from 'vitest';
import { rowsOf } from '#test/database/rows.ts';
import {
  authCalls,
  deviceOf,
  inTurn,
  setCookies,
  signedIn,
  tooMany,
  wrong,
} from '#test/requests/accounts/auth-calls.ts';
import { tokenIn } from '#test/requests/accounts/inbox.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const { login, forgot, reset, guess, advance, links, owner } = authCalls(() => service);

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
      ...Array.from({ length: 5 }, () => wrong),
      tooMany,
      tooMany,
    ]);
    expect(code(await login(email, password, device))).toBe(tooMany);
    const other = await login(email, password);
    expect(code(other)).toBe(signedIn);
    expect(code(await login(email, password, deviceOf(other)))).toBe(signedIn);
    const crowd = await Promise.all(Array.from({ length: 50 }, () => guess(email, deviceOf(other))));
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

  it('is one of at most ten, and is not displaced by sign-ins without a device', async () => {
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
