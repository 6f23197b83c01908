import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { times } from '#test/many.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { cookieOf, useTestService } from '#test/service/service.ts';

const service = useTestService();

const password = 'a quiet river bank';
const post = (path: string, body: unknown, cookie?: string) =>
  service.call('POST', `/api/auth/${path}`, { body, ...(cookie && { cookie }) });
const register = (email: string) => post('register', { email, name: 'Somebody', password_hash: password });
async function identityToken(email: string): Promise<string> {
  const { token } = await service.post('/_local/identity-token', { email, name: 'Somebody' });
  return token;
}
const google = async (email: string) => post('google', { token: await identityToken(email) });
const balance = async (cookie: string) =>
  (await service.call('GET', '/api/credits', { cookie })).body.data.balance as number;
const advance = (duration: string) => service.post('/_local/clock', { advance: duration });

/** Registers, confirms and deletes the account. Returns the credits of its free month. */
async function passThrough(email: string): Promise<number> {
  const response = await register(email);
  const cookie = cookieOf(response);
  const had = await balance(cookie);
  await service.call('GET', `/api/auth/confirm?token=${await service.mailedToken(email)}`, { cookie });
  await post('delete-account', { email, password }, cookie);
  return had;
}

/** Signs in with the identity provider, takes the free plan and deletes the account. Returns its credits. */
async function passThroughGoogle(email: string): Promise<number> {
  const cookie = cookieOf(await google(email));
  const body = { planId: 'freemium', billingCycle: 'monthly' };
  expect((await service.call('POST', '/api/subscription/create', { cookie, body })).status).toBe(200);
  const had = await balance(cookie);
  await post('delete-account', { email, identityToken: await identityToken(email) }, cookie);
  return had;
}

describe('a user who deletes and recreates an account', () => {
  it('gets one free month for the same address', async () => {
    expect(await passThrough('back@example.com')).toBe(100);
    expect(cookieOf(await register('Back@example.com'))).not.toBe('');
    const { id } = (await post('login', { email: 'back@example.com', password })).body.data;
    const meter = await services().metering().current(id, services().clock.now());
    expect([meter.spendable, meter.lots]).toEqual([0, []]);
  });

  it('gets one free month for the same identity until the next month would have begun, however often this is repeated', async () => {
    const email = 'google-back@example.com';
    const had: number[] = [];
    for (let round = 0; round < 5; round++) had.push(await passThroughGoogle(email));
    expect(had).toEqual([200, 0, 0, 0, 0]);
    expect(await balance(cookieOf(await register(email)))).toBe(0);
    await advance('P32D');
    const { body, headers } = await post('login', { email, password });
    expect(body.message).toBe('LOGIN_SUCCESS');
    const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
    expect(await balance(cookie)).toBe(100);
    await advance('P32D');
    expect(await balance(cookieOf(await post('login', { email, password })))).toBe(100);
  });

  it('creates five organizations in 30 days, each of which has a free month', async () => {
    const restore = withEnvironment({ NETWORK_LIMITS: 'on' });
    try {
      const email = 'founder@example.net';
      const outcomes: number[] = [];
      let seen = '';
      for (let round = 0; round < 2; round++) {
        const cookie = cookieOf(await register(email));
        const token = await service.mailedToken(email, seen);
        seen = token;
        await service.call('GET', `/api/auth/confirm?token=${token}`, { cookie });
        for (let count = 0; count < 4; count++)
          outcomes.push(
            (await service.call('POST', '/api/organizations', { cookie, body: { name: 'Harbor' } })).status,
          );
        expect((await post('delete-account', { email, password }, cookie)).status).toBe(200);
      }
      expect(outcomes).toEqual([...times(5, () => 201), ...times(3, () => 429)]);
    } finally {
      restore();
    }
  });

  it('gets one free month even if the deletion and new sign-ins are concurrent', async () => {
    const email = 'hasty@example.com';
    const cookie = cookieOf(await google(email));
    const proof = await identityToken(email);
    const [, ...responses] = await Promise.all([
      post('delete-account', { email, identityToken: proof }, cookie),
      ...times(8, () => google(email)),
    ]);
    const ids = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => body.data.id));
    const meters = await Promise.all([...ids].map((id) => services().metering().find(id)));
    const open = meters.filter((meter) => meter?.closed === undefined);
    expect(open.map((meter) => meter?.spendable)).toEqual(open.map(() => 0));
  });

  it('leaves the free month to the owner of the address if the account was unconfirmed', async () => {
    const email = 'owner@example.com';
    const cookie = cookieOf(await register(email));
    await post('delete-account', { email, password }, cookie);
    expect(await balance(cookieOf(await register(email)))).toBe(100);
  });
});
