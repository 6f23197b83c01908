import type { Route } from '#contract/route.ts';
import { confirmAccount } from './account.ts';
import { type Input, type SendOptions, send } from './send.ts';

/**
 * Sends a request for the account of this document. What changes something waits until the session is known to be
 * still that account's: another tab shares the cookie and may have signed in somebody else. A key names its account
 * by itself; whoever holds one looks before giving it out.
 */
export async function request<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<Response> {
  const isSession = route.credential !== 'none' && options?.key === undefined;
  if (isSession && route.method !== 'GET') await confirmAccount();
  return send(route, input, options);
}
