import * as v from 'valibot';

/*
 * Cross-origin calls with API keys (docs/security.md#keys-in-browsers). Off unless a stage lists origins. No response
 * allows credentials, so a page can never use the cookies of a signed-in user.
 */

/** Keeps the list within 2 KB of a function's 4 KB of environment. */
const maxOrigins = 20;

const Origin = v.pipe(
  v.string(),
  v.maxLength(100, 'must be at most 100 characters'),
  v.regex(
    /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d{1,5})?$/,
    'must be an origin in lower case without a path, such as https://app.example.com',
  ),
);

/** Origins whose pages may call the API with keys: a list, or `*` for any. */
export const CorsOrigins = v.union(
  [v.literal('*'), v.pipe(v.array(Origin), v.maxLength(maxOrigins, `must have at most ${maxOrigins} origins`))],
  'must be * or a list of origins such as https://app.example.com',
);
export type CorsOrigins = v.InferOutput<typeof CorsOrigins>;

/** The value of the environment variable CORS_ORIGINS. */
export const corsVariable = (origins: CorsOrigins): string => [origins].flat().join(',');

const keyPath = /^\/(?:v1|openai|anthropic)(?:\/|$)/;

/**
 * Headers for a response to a page. Its scripts may read all headers. Empty for paths outside of the inference APIs.
 */
export function corsHeaders(
  allowed: ReadonlySet<string>,
  path: string,
  origin: string | undefined,
): Readonly<Record<string, string>> {
  if (allowed.size === 0 || origin === undefined || !keyPath.test(path)) return {};
  const named = allowed.has('*') ? '*' : origin;
  if (!allowed.has(named)) return { Vary: 'Origin' };
  return {
    'Access-Control-Allow-Origin': named,
    'Access-Control-Expose-Headers': '*',
    ...(named !== '*' && { Vary: 'Origin' }),
  };
}

export const allowsOrigin = (...request: Parameters<typeof corsHeaders>): boolean =>
  'Access-Control-Allow-Origin' in corsHeaders(...request);

/** Access-Control-Max-Age in seconds: the maximum that Chromium accepts. */
export const preflightSeconds = 7200;

/** The wildcard includes every header but Authorization (Fetch standard, "CORS-preflight fetch"). */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, *',
  'Access-Control-Max-Age': String(preflightSeconds),
};
