import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { accountRoutes } from '#contract/routes/accounts.ts';
import { adoptLanguage } from '../lib/texts.ts';
import { claimDocument, documentAccount, forgetSessions, headerOfOrganization, needsAccount } from './account.ts';
import {
  ApiError,
  type ApiResponse,
  type Data,
  type DataRoute,
  openEnvelope,
  readResponse,
  bodyTextOf,
} from './response.ts';

type Part<R, Schema extends string, Name extends string> =
  R extends Record<Schema, infer S extends v.GenericSchema> ? Record<Name, v.InferInput<S>> : unknown;

/** A route that accepts a form receives one, even if it also accepts JSON. */
type Content<R> = R extends { readonly formInput: v.GenericSchema }
  ? { readonly form: FormData }
  : Part<R, 'bodyInput', 'body'>;

/** Input of a route, by its schemas. */
export type Input<R extends Route> = Part<R, 'pathInput', 'path'> & Part<R, 'queryInput', 'query'> & Content<R>;

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** API key to send in place of the session. */
  readonly key?: string | undefined;
  /** Requests with the same key run once. */
  readonly idempotencyKey?: string | undefined;
  /** Media type to request from a route with several. */
  readonly accept?: string | undefined;
}

/** Returns the data of a route's response. Throws an ApiError. */
export async function call<R extends DataRoute>(route: R, input: Input<R>, options?: SendOptions): Promise<Data<R>> {
  return (await callWithHeaders(route, input, options)).data;
}

export async function callWithHeaders<R extends DataRoute>(
  route: R,
  input: Input<R>,
  options?: SendOptions,
): Promise<ApiResponse<Data<R>>> {
  return readResponse(route, await request(route, input, options));
}

/** Runs an operation whose response has no data. Throws an ApiError. */
export async function perform<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<void> {
  const response = await request(route, input, options);
  openEnvelope(await bodyTextOf(response), response.headers);
}

/**
 * Sends a request for this document's account and organization. Another tab shares the cookie and may have signed in
 * another user. So a change is sent only after the session is confirmed to be this account's, and a response to a read
 * is returned only after the same check. A request with an API key is not checked: its caller has done so.
 */
export async function request<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<Response> {
  const isSession = route.credential !== 'none' && options?.key === undefined;
  const isRead = route.method === 'GET';
  if (isSession && (needsAccount(route) || (!isRead && documentAccount() !== undefined))) await confirmAccount();
  const response = await send(route, input, options);
  if (isSession && isRead) await confirmAccount();
  return response;
}

/** The latest check in flight, and the next one, which waits for it. */
let sentCheck: Promise<unknown> = Promise.resolve();
let nextCheck: Promise<unknown> | undefined;

/**
 * Resolves if the session still belongs to this document's account. Throws an ApiError without a session. The check is
 * sent after the call, so it covers the response of that call. Concurrent checks share one request.
 */
export async function confirmAccount(): Promise<void> {
  nextCheck ??= sentCheck
    .catch(() => undefined)
    .then(() => {
      sentCheck = nextCheck ?? sentCheck;
      nextCheck = undefined;
      return loadCurrentUser();
    });
  await nextCheck;
}

/** Returns the user of the session. Never resolves if the document belongs to another account. */
export async function loadCurrentUser(options?: SendOptions) {
  const { data: user } = await readResponse(accountRoutes.me, await send(accountRoutes.me, {}, options));
  await claimDocument(user.id);
  adoptLanguage(user.language);
  return user;
}

/** Like `loadCurrentUser`, but returns null without a session if the document has no account yet. For public pages. */
export async function loadMember(options?: SendOptions) {
  try {
    return await loadCurrentUser(options);
  } catch (error) {
    if (documentAccount() !== undefined || !(error instanceof ApiError) || error.code !== 'INVALID_API_KEY')
      throw error;
    forgetSessions();
    return null;
  }
}

const Values = v.optional(v.record(v.string(), v.optional(v.union([v.string(), v.number()]))), {});
/** Input without the types of its route. */
const Parts = v.object({
  path: Values,
  query: Values,
  body: v.optional(v.unknown()),
  form: v.optional(v.instance(FormData)),
});
type Values = v.InferOutput<typeof Values>;

/** Sends a request to this origin. Throws an ApiError if there is no response. */
export async function send<R extends Route>(
  route: R,
  input: Input<R>,
  { signal, key, idempotencyKey, accept }: SendOptions = {},
): Promise<Response> {
  const { path, query, body, form } = v.parse(Parts, input);
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(accept !== undefined && { accept }),
    ...(key === undefined && route.credential !== 'none' && headerOfOrganization()),
  };
  try {
    return await fetch(address(route.path, path, query), {
      method: route.method,
      headers,
      credentials: key === undefined ? 'same-origin' : 'omit',
      // The browser sets a form's content type with its boundary.
      ...(form && { body: form }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      'UNREACHABLE',
      navigator.onLine
        ? t`Can't reach the server. Check your connection and try again.`
        : t`You're offline. Check your connection and try again.`,
    );
  }
}

function address(path: string, values: Values, query: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled;
}
