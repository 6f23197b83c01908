import type { ServiceName } from '../billing/prices.ts';
import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import type { Route } from './route.ts';

const cutServices: ReadonlySet<ServiceName> = new Set(['translation', 'text_analysis']);

/** Whether the path or body names a model, which may be deprecated or retired. */
export const namesModel = ({ pathInput, bodyInput }: Route): boolean =>
  [pathInput, bodyInput].some((schema) => schema && 'entries' in schema && hasModel(schema.entries));

const hasModel = (entries: unknown): boolean =>
  typeof entries === 'object' && entries !== null && Object.hasOwn(entries, 'model');

/** Returns every error code that an operation may return, by status: those implied by its route, and its own. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const { credential, method, priced } = route;
  const changes = method !== 'GET' && method !== 'HEAD';
  const takesInput = Boolean(route.pathInput ?? route.queryInput ?? route.bodyInput ?? route.idempotent);
  const possible: readonly [condition: unknown, ...codes: ErrorCode[]][] = [
    [true, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', ...(route.refusals ?? [])],
    [changes, 'PAYLOAD_TOO_LARGE'],
    [route.bodyInput, 'UNSUPPORTED_MEDIA_TYPE'],
    [credential !== 'none' && credential !== 'session if any', 'INVALID_API_KEY'],
    [takesInput, 'INVALID_FORMAT'],
    // 403: an API key where a session is required, and a cross-site request with the browser's session.
    [credential === 'session' || (changes && credential !== 'key'), 'INSUFFICIENT_PERMISSIONS'],
    [route.confirmed, 'ACCOUNT_NOT_CONFIRMED'],
    [priced, 'INSUFFICIENT_PERMISSIONS', 'KEY_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'INSUFFICIENT_CREDITS'],
    [priced?.capability, 'MODEL_ERROR', 'MODEL_TIMEOUT'],
    [namesModel(route), 'NOT_FOUND'],
    // Texts to translate or analyze are split into parts that fit.
    [priced?.capability && !cutServices.has(priced.service), 'CONTEXT_LENGTH_EXCEEDED'],
    [priced?.capability && route.streaming && priced.capability !== 'embeddings', 'REQUEST_CANCELLED'],
    // Daily limit of unpriced requests with an Idempotency-Key.
    [route.idempotent && !priced, 'RATE_LIMIT_EXCEEDED'],
    [route.idempotent, 'REQUEST_IN_PROGRESS', 'REPLAY_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'],
  ];
  const codes = new Set(possible.flatMap(([condition, ...codes]) => (condition ? codes : [])));
  return [...codes].toSorted((one, other) => errorStatus[one] - errorStatus[other] || one.localeCompare(other));
}
