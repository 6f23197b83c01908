import type { ApiResponse, Person, TestService } from '../../service/service.ts';
import { authCalls } from './auth-calls.ts';
import { mailsTo, type ReceivedMail, tokenIn } from './inbox.ts';

export const subjects = {
  old: 'Confirm the change of your email address',
  new: 'Confirm your new email address',
  taken: 'Your email address has an account already',
  changed: 'Your email address was changed',
} as const;

/** A session and one of the two proofs. */
interface Requester {
  readonly cookie: string;
  readonly password?: string;
  readonly identityToken?: string;
}

let addresses = 0;
export const newAddress = (): string => `another-${process.pid}-${++addresses}@example.com`;

/** Requests to change an email address. */
export function emailChangeCalls(service: () => TestService) {
  const auth = authCalls(service);
  const request = ({ cookie, password, identityToken }: Requester, email: string): Promise<ApiResponse> =>
    auth.post('email-change', { email, password, identityToken }, cookie);
  const cancel = (cookie: string) => service().call('DELETE', '/api/auth/email-change', { cookie });
  const confirm = (token: string, cookie = '') =>
    auth.post('email-change/decision', { token, decision: 'confirm' }, cookie);
  const refuse = (token: string, cookie = '') =>
    auth.post('email-change/decision', { token, decision: 'refuse' }, cookie);
  const mailOf = async (email: string, kind: keyof typeof subjects): Promise<ReceivedMail | undefined> =>
    (await mailsTo(service(), email)).find(({ subject }) => subject === subjects[kind]);
  const pendingOf = async (cookie: string) => (await auth.me(cookie)).body.data.emailChange;

  /** Requests another address. Returns the tokens sent to the current and to the new address. */
  async function requested(person: Requester & Pick<Person, 'email'>, email = newAddress()) {
    const response = await request(person, email);
    if (response.status !== 200) throw new Error(`the change was refused: ${response.body.detail}`);
    const [old, fresh] = [await mailOf(person.email, 'old'), await mailOf(email, 'new')];
    return { email, old: tokenIn(old), new: tokenIn(fresh) };
  }

  return { ...auth, request, cancel, confirm, refuse, mailOf, pendingOf, requested };
}
