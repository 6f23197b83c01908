import * as v from 'valibot';
import { codeAt, stepAt } from '#domain/accounts/second-factor.ts';
import { services } from '#runtime/services/container.ts';
import { authenticator } from '../requests/accounts/authenticator.ts';
import { secretBytes } from '../requests/accounts/second-factor.ts';
import type { Caller } from './every-operation.ts';

const Challenge = v.looseObject({ challenge: v.string() });
const Secret = v.object({ secret: v.string() });
const Passkeys = v.object({ items: v.tuple([v.object({ id: v.string() })]) });

/** Adds and removes a passkey and an authenticator app, and signs in with each. */
export async function manageSecondFactor(origin: string, { send }: Caller): Promise<void> {
  const optionsOf = async (cookie?: string) => {
    const { data } = await send('passkeyOptions', cookie === undefined ? {} : { cookie });
    return v.parse(Challenge, data);
  };
  const anonymous = await optionsOf();
  const { cookie } = await send('login');
  const device = authenticator(origin.replace('127.0.0.1', 'localhost'));
  const created = device.create(await optionsOf(cookie));
  // Not by `send`, which keeps the first response of an operation: the documented one is that of a sign-in.
  const added = await post(`${origin}/api/auth/passkeys/verify`, { ...created, name: 'Laptop' }, cookie);
  const passkeys = await send('listPasskeys', { cookie: added });
  await send('verifyPasskey', { body: device.assert(anonymous) });
  const [{ id }] = v.parse(Passkeys, passkeys.data).items;
  const removed = await send('deletePasskey', { cookie: added, path: { id } });

  const { secret } = v.parse(Secret, (await send('setUpTotp', { cookie: removed.cookie })).data);
  // The neighbours of the current step are accepted too, each once.
  const codeOf = (steps: number) => ({ code: codeAt(secretBytes(secret), stepAt(services().clock.now()) + steps) });
  await send('confirmTotp', { cookie: removed.cookie, body: codeOf(-1) });
  const { email, password } = { email: 'sample@example.com', password: 'a quiet river bank' };
  const pending = await post(`${origin}/api/auth/login`, { email, password });
  const entered = await send('completeSignIn', { cookie: pending, body: codeOf(0) });
  await send('deleteTotp', { cookie: entered.cookie, body: codeOf(1) });
}

/** Returns the first cookie of the response. */
async function post(url: string, body: object, cookie?: string): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
