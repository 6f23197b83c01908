import type { ApiResponse, Person, TestService } from '../../service/service.ts';
import { mailsTo, tokenIn } from './inbox.ts';

export const setCookies = ({ headers }: ApiResponse) => headers.getSetCookie();
export const deviceOf = (response: ApiResponse) =>
  setCookies(response)
    .find((cookie) => /^(?:__Host-)?device=/.test(cookie))
    ?.split(';')[0] ?? '';
export const inTurn = async <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let index = 0; index < count; index++) results.push(await make(index));
  return results;
};

export const wrong = '401 INVALID_CREDENTIALS';
export const tooMany = '429 RATE_LIMIT_EXCEEDED';
export const signedIn = '200 LOGIN_SUCCESS';

/** Requests to `/api/auth`, by users and attackers. */
export function authCalls(service: () => TestService) {
  const post = (path: string, body: unknown, cookie = '') =>
    service().call('POST', `/api/auth/${path}`, { body, cookie });
  const me = (cookie: string) => service().call('GET', '/api/auth/me', { cookie });
  const login = (email: string, password: string, cookie = '') => post('login', { email, password }, cookie);
  const forgot = (email: string) => post('forgot-password', { email });
  const reset = (token: string, newPassword = 'another river bank') => post('reset-password', { token, newPassword });
  const guess = (email: string, cookie = '') => login(email, 'not the password', cookie);
  const advance = (duration: string) => service().post('/_local/clock', { advance: duration });
  const links = async (email: string) =>
    (await mailsTo(service(), email)).filter(({ subject }) => subject === 'Reset your password');

  const identityToken = async (email: string, name = 'Ada'): Promise<string> =>
    (await service().post('/_local/identity-token', { email, name })).token;

  async function resetToken(email: string): Promise<string> {
    if ((await forgot(email)).status !== 200) throw new Error('no reset link was sent');
    return tokenIn((await links(email))[0]);
  }

  /** A confirmed person, with the device cookie of their browser. */
  async function owner(): Promise<Person & { device: string }> {
    const person = await service().person();
    return { ...person, device: deviceOf(await login(person.email, person.password)) };
  }

  return { post, me, login, forgot, reset, guess, advance, links, identityToken, resetToken, owner };
}
