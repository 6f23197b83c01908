import { decimalCredits, type Receipt } from '#domain/meter/receipt.ts';
import type { RateLimit, ServiceError } from '#domain/shared/service-error.ts';
import type { Call } from '../call.ts';

type Headers = Record<string, string>;

const fixedHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/** In place of those of a whole response. */
export const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** Headers of every response to a call. */
export function responseHeaders({ requestId, receipt, replayOf }: Call): Headers {
  const headers: Headers = { ...fixedHeaders, 'x-request-id': requestId };
  if (receipt) addReceipt(headers, receipt);
  if (replayOf !== undefined) {
    headers['Idempotent-Replayed'] = 'true';
    headers['x-original-request-id'] = replayOf;
  }
  return headers;
}

/** What the response to a refusal or failure has besides. */
export function errorHeaders(error: ServiceError): Headers {
  const { code, retryAfterSeconds, rateLimit, originalRequestId, allowedMethods } = error;
  const headers: Headers = {};
  if (rateLimit) addRateLimit(headers, rateLimit);
  if (retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(Math.ceil(retryAfterSeconds));
    // OpenAI's SDKs prefer this header to Retry-After.
    if (code === 'REQUEST_IN_PROGRESS') headers['retry-after-ms'] = String(Math.ceil(retryAfterSeconds * 1000));
  }
  if (originalRequestId !== undefined) headers['x-original-request-id'] = originalRequestId;
  if (allowedMethods) headers['Allow'] = allowedMethods.join(', ');
  return headers;
}

/** Credits as metered. */
function addReceipt(headers: Headers, { rateLimit, held, charged, remaining, keyRemaining }: Receipt): void {
  if (rateLimit) addRateLimit(headers, rateLimit);
  if (held !== undefined) headers['x-credits-held'] = decimalCredits(held);
  if (charged !== undefined) headers['x-credits-charged'] = decimalCredits(charged);
  if (remaining !== undefined) headers['x-credits-remaining'] = decimalCredits(remaining);
  if (keyRemaining !== undefined) headers['x-key-credits-remaining'] = decimalCredits(keyRemaining);
}

/** OpenAI's names, and those of the IETF draft ratelimit-headers. */
function addRateLimit(headers: Headers, { limit, remaining, resetMs }: RateLimit): void {
  const resetSeconds = Math.ceil(resetMs / 1000);
  headers['x-ratelimit-limit-requests'] = String(limit);
  headers['x-ratelimit-remaining-requests'] = String(remaining);
  headers['x-ratelimit-reset-requests'] = `${resetSeconds}s`;
  headers['RateLimit-Policy'] = `"minute";q=${limit};w=60`;
  headers['RateLimit'] = `"minute";r=${remaining};t=${resetSeconds}`;
}
