import type { Route } from '#contract/http/route.ts';
import { confirmAccount, documentAccount } from './account/account.ts';
import { type Input, type SendOptions, send } from './http/send.ts';

/**
 * Sends a request for the account of this document: another tab shares the cookie and may have signed in another
 * user. What changes something waits until the session is known to be still that account's; what reads is given out
 * only when it is known that the response was that account's. A key names its account by itself; whoever uses one
 * checks the session first.
 */
export async function request<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<Response> {
  const isSession = route.credential !== 'none' && options?.key === undefined;
  const isRead = route.method === 'GET';
  if (isSession && !isRead && documentAccount() !== undefined) await confirmAccount();
  const response = await send(route, input, options);
  if (isSession && isRead) await confirmAccount();
  return response;
}
