import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { ApiError } from './api-error.ts';

type Part<R, Schema extends string, Name extends string> =
  R extends Record<Schema, infer S extends v.GenericSchema> ? Record<Name, v.InferInput<S>> : unknown;

/** A route that takes forms is sent one, whatever else it takes. */
type Content<R> = R extends { readonly formInput: v.GenericSchema }
  ? { readonly form: FormData }
  : Part<R, 'bodyInput', 'body'>;

/** What a route takes, by its schemas. */
export type Input<R extends Route> = Part<R, 'pathInput', 'path'> & Part<R, 'queryInput', 'query'> & Content<R>;

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** An API key, sent in place of the session. */
  readonly key?: string | undefined;
  /** Requests with the same one run once. */
  readonly idempotencyKey?: string | undefined;
  /** Of a route with several kinds of responses, the one that is wanted. */
  readonly accept?: string | undefined;
}

const Values = v.optional(v.record(v.string(), v.optional(v.union([v.string(), v.number()]))), {});
/** An input without its route's types. */
const Parts = v.object({
  path: Values,
  query: Values,
  body: v.optional(v.unknown()),
  form: v.optional(v.instance(FormData)),
});
type Values = v.InferOutput<typeof Values>;

/** Sends a request of the route to this origin. Throws an ApiError without a response. */
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
  };
  try {
    return await fetch(address(route.path, path, query), {
      method: route.method,
      headers,
      credentials: key === undefined ? 'same-origin' : 'omit',
      // Of a form the browser names the boundary.
      ...(form && { body: form }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const what = navigator.onLine ? "Can't reach the server" : "You're offline";
    throw new ApiError('UNREACHABLE', `${what}. Check your connection and try again.`);
  }
}

function address(path: string, values: Values, query: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled;
}
