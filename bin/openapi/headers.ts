import { namesModel, type Route } from '#contract/http/route.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';

const text = { type: 'string' };
const count = { type: 'string', pattern: '^\\d+$' };
const decimal = { type: 'string', pattern: '^\\d+(\\.\\d{1,6})?$' };

const header = (description: string, schema: object, example: string) => ({ description, schema, example });

export const headers: Readonly<Record<string, ReturnType<typeof header>>> = {
  'x-request-id': header('Id of the request; include it when you contact support.', text, 'hV3kQ9sTz1LmXw7RbYc'),
  'request-id': header('The same id, as Anthropic SDKs read it.', text, 'hV3kQ9sTz1LmXw7RbYc'),
  'x-ratelimit-limit-requests': header('Priced calls that the plan allows in a minute.', count, '100'),
  'x-ratelimit-remaining-requests': header('Priced calls left in this minute.', count, '99'),
  'x-ratelimit-reset-requests': header('Time until all priced calls are available again.', text, '60s'),
  'RateLimit-Policy': header('The same limit, in the format of the IETF draft.', text, '"minute";q=100;w=60'),
  RateLimit: header('Remaining calls, in the format of the IETF draft.', text, '"minute";r=99;t=60'),
  'x-credits-charged': header('Credits that this call cost, as metered.', decimal, '1'),
  'x-credits-remaining': header('Credits left, as metered.', decimal, '4999'),
  'x-key-credits-remaining': header("Credits left of the key's spending limit, if it has one.", decimal, '4'),
  'x-credits-held': header('Maximum cost of this stream in credits; the unused part is released.', decimal, '1'),
  'Retry-After': header('Whole seconds to wait before a retry.', count, '1'),
  'retry-after-ms': header(
    'The same in milliseconds, on 409 `REQUEST_IN_PROGRESS`; OpenAI SDKs obey it.',
    count,
    '4800',
  ),
  'Idempotent-Replayed': header(
    '`true` if this is the replayed response of an earlier request with the same key.',
    text,
    'true',
  ),
  'x-original-request-id': header('On a replay: the id of the request that was executed.', text, 'hV3kQ9sTz1LmXw7RbYc'),
  deprecation: header('Day from which the model is deprecated (RFC 9745).', text, '@1798761600'),
  sunset: header(
    'Day from which calls of the deprecated model return 404 (RFC 8594).',
    text,
    'Thu, 01 Jul 2027 00:00:00 GMT',
  ),
  'Set-Cookie': header(
    'Opens the session or ends it, and makes the browser a known device.',
    text,
    'session=tas_…; Path=/; HttpOnly; SameSite=Lax',
  ),
  'x-tools-left-out': header(
    'Requested tools of kinds that are not served. The model was not offered them.',
    text,
    'web_search',
  ),
  'x-should-retry': header('`false`: SDKs must not retry this request.', text, 'false'),
};

const rate = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'RateLimit-Policy',
  'RateLimit',
];

/** Headers of the recorded response, and headers that only some responses have. */
export function successHeaders(route: Route, recorded: readonly string[], streams: boolean) {
  const replayed = route.idempotent ? ['Idempotent-Replayed', 'x-original-request-id'] : [];
  const limited = route.priced ? ['x-key-credits-remaining'] : [];
  const isPartial = route.format === 'anthropic' ? route.priced : route.id === 'create-response';
  const partial = isPartial ? ['x-tools-left-out'] : [];
  const dated = namesModel(route) ? ['deprecation', 'sunset'] : [];
  return references([
    ...recorded,
    ...limited,
    ...dated,
    ...partial,
    ...(streams ? ['x-credits-held'] : []),
    ...replayed,
  ]);
}

const retryable: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'REQUEST_IN_PROGRESS',
]);

export function errorHeaders({ format, priced }: Pick<Route, 'format' | 'priced'>, codes: readonly ErrorCode[]) {
  const refusedByMeter = codes.some((code) => errorStatus[code] === 402 || errorStatus[code] === 429);
  return references([
    'x-request-id',
    ...(format === 'anthropic' ? ['request-id'] : []),
    ...(codes.some((code) => retryable.has(code)) ? ['Retry-After'] : []),
    ...(codes.includes('REQUEST_IN_PROGRESS') ? ['retry-after-ms'] : []),
    ...(priced && refusedByMeter ? rate : []),
    ...(format !== 'envelope' && codes.some((code) => errorStatus[code] < 500) ? ['x-should-retry'] : []),
  ]);
}

function references(names: readonly string[]) {
  return Object.fromEntries(
    Object.keys(headers)
      .filter((name) => names.includes(name))
      .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
