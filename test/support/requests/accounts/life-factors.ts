import { cookieOf, type TestService } from '../../service/service.ts';
import type { authenticator } from './authenticator.ts';
import { factorCalls, pendingOf } from './second-factor.ts';

export interface Factors {
  readonly cookie: string;
  readonly device: ReturnType<typeof authenticator>;
  readonly recoveryCodes: readonly string[];
  /** The secret, the recovery codes, a challenge, and the tokens of sign-ins. */
  readonly tokens: readonly string[];
}

/** Adds an app, a passkey and a device to an account. Leaves a sign-in and a challenge unfinished. */
export async function addFactors(
  service: TestService,
  { cookie, email, password }: Readonly<Record<'cookie' | 'email' | 'password', string>>,
): Promise<Factors> {
  const calls = factorCalls(() => service);
  const { secret } = (await calls.post('totp/setup', { password }, cookie)).body.data;
  const confirmed = await calls.post('totp/confirm', { code: await calls.codeOf(secret) }, cookie);
  const recoveryCodes: string[] = confirmed.body.data.recoveryCodes;
  const { added, device } = await calls.withPasskey({ cookie: cookieOf(confirmed) }, 'Quillfeather');
  if (added.status !== 200) throw new Error(`the passkey was not added: ${added.status} ${added.body.detail}`);

  const first = pendingOf(await calls.login(email, password));
  const entered = await calls.second(first, { recoveryCode: recoveryCodes.pop() });
  const unfinished = pendingOf(await calls.login(email, password));
  const opened = cookieOf(entered);
  const { challenge } = await calls.options(opened);
  const cookies = [first, unfinished, ...entered.headers.getSetCookie()].map(valueOf).filter(Boolean);
  return { cookie: opened, device, recoveryCodes, tokens: [secret, ...recoveryCodes, challenge, ...cookies] };
}

const valueOf = (cookie: string): string => /^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '';
