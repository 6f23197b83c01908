import { codeAt, stepAt } from '#domain/accounts/second-factor.ts';
import { type ApiResponse, cookieOf, type Person, type TestService } from '../../service/service.ts';
import { authCalls, setCookies } from './auth-calls.ts';
import { authenticator } from './authenticator.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a Base32 text, as an authenticator app reads it. */
export function secretBytes(base32: string): Buffer {
  const bits = Array.from(base32, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

export interface Enrolled extends Person {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** The cookie for the second step of a sign-in. */
export const pendingOf = (response: ApiResponse): string =>
  setCookies(response)
    .find((cookie) => /^(?:__Host-)?second-factor=ta/.test(cookie))
    ?.split(';')[0] ?? '';

/** Requests of accounts with a second factor. */
export function factorCalls(service: () => TestService) {
  const calls = authCalls(service);
  const { post, login, advance } = calls;
  const now = async (): Promise<number> =>
    Date.parse(((await (await fetch(`${service().origin}/_local/clock`)).json()) as { now: string }).now);

  /** The app's code now, or of a step relative to now. */
  const codeOf = async (secret: string, steps = 0): Promise<string> =>
    codeAt(secretBytes(secret), stepAt(await now()) + steps);
  /** Moves the clock to the beginning of the next step, so that the step does not change during a test. */
  const nextStep = async () => advance(`PT${30 - (Math.floor((await now()) / 1000) % 30)}S`);

  const second = (cookie: string, body: object) => post('second-factor', body, cookie);
  const turnOff = (cookie: string, body: object) => service().call('DELETE', '/api/auth/totp', { cookie, body });

  /** A confirmed person whose account has an authenticator app. The code of the current step is used. */
  async function enrolled(): Promise<Enrolled> {
    const person = await service().person();
    await nextStep();
    const { secret } = (await post('totp/setup', {}, person.cookie)).body.data;
    const confirmed = await post('totp/confirm', { code: await codeOf(secret) }, person.cookie);
    return { ...person, cookie: cookieOf(confirmed), secret, recoveryCodes: confirmed.body.data.recoveryCodes };
  }

  const firstStep = async ({ email, password }: Person): Promise<string> => pendingOf(await login(email, password));

  const options = async (cookie = '', body: object = {}) => (await post('passkeys/options', body, cookie)).body.data;
  const verify = (response: object, cookie = '') => post('passkeys/verify', response, cookie);
  const passkeys = (cookie: string) => service().call('GET', '/api/auth/passkeys', { cookie });

  /** A passkey of a person, with the cookie of the session that added it. */
  async function withPasskey(person: Pick<Person, 'cookie'>, name = 'Laptop') {
    const device = authenticator(service().origin.replace('127.0.0.1', 'localhost'));
    const added = await verify({ ...device.create(await options(person.cookie)), name }, person.cookie);
    return { device, added, cookie: cookieOf(added) };
  }

  return { ...calls, codeOf, nextStep, second, turnOff, enrolled, firstStep, options, verify, passkeys, withPasskey };
}
