import type { ServiceName } from '../billing/prices.ts';
import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import type { Route } from './route.ts';

const cutServices: ReadonlySet<ServiceName> = new Set(['translation', 'text_analysis']);

/** Every error code that an operation may return, by status: what its row implies, and its own refusals. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const { credential, method, priced } = route;
  const changes = method !== 'GET';
  const takesInput = Boolean(route.pathInput ?? route.queryInput ?? route.bodyInput ?? route.idempotent);
  const possible: readonly [condition: unknown, ...codes: ErrorCode[]][] = [
    [true, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', ...(route.refusals ?? [])],
    [changes, 'PAYLOAD_TOO_LARGE'],
    [route.bodyInput, 'UNSUPPORTED_MEDIA_TYPE'],
    [credential !== 'none' && credential !== 'session if any', 'INVALID_API_KEY'],
    [takesInput, 'INVALID_FORMAT'],
    // A key where a session is required, and a foreign page that uses the browser's session.
    [credential === 'session' || (changes && credential !== 'key'), 'INSUFFICIENT_PERMISSIONS'],
    [route.confirmed, 'ACCOUNT_NOT_CONFIRMED'],
    [priced, 'INSUFFICIENT_PERMISSIONS', 'KEY_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'INSUFFICIENT_CREDITS'],
    [priced?.capability, 'MODEL_ERROR', 'MODEL_TIMEOUT'],
    // What is translated or analyzed is cut into parts that fit.
    [priced?.capability && !cutServices.has(priced.service), 'CONTEXT_LENGTH_EXCEEDED'],
    [priced?.capability && route.streaming && priced.capability !== 'embeddings', 'REQUEST_CANCELLED'],
    // The daily limit of requests with an Idempotency-Key that are not charged.
    [route.idempotent && !priced, 'RATE_LIMIT_EXCEEDED'],
    [route.idempotent, 'REQUEST_IN_PROGRESS', 'REPLAY_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'],
  ];
  const codes = new Set(possible.flatMap(([condition, ...codes]) => (condition ? codes : [])));
  return [...codes].toSorted((one, other) => errorStatus[one] - errorStatus[other] || one.localeCompare(other));
}
