import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { corsHeaders } from '#contract/http/cors.ts';
import { type ResponseFormat, TextBody } from '#contract/http/format.ts';
import type { Route } from '#contract/http/route.ts';
import { type ErrorCode, errorStatus, type Refusal } from '#contract/shared/errors.ts';
import { StreamedBytes, StreamedResponse } from '#domain/inference/streamed-response.ts';
import { decimalCredits, type Receipt } from '#domain/meter/pricing.ts';
import { type RateLimit, ServiceError } from '#domain/shared/service-error.ts';
import { type Call, type Middleware, type OpenedSession, ResponseLifecycle } from './call.ts';
import { byteStream, type EventStream, eventStream } from './event-stream.ts';
import { cookieName, originOf } from './headers.ts';
import { modelDateHeaders } from './model-dates.ts';

export interface EnvelopeOptions {
  readonly sessionCookie: string;
  readonly corsOrigins: ReadonlySet<string>;
  explain(error: unknown): ServiceError | undefined;
  onUnforeseen(error: unknown, requestId: string): void;
  onFailure(error: ServiceError, failed: Failed): void;
}

export interface CallResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>;
  readonly body: string | EventStream;
  readonly lifecycle: ResponseLifecycle;
}

export interface Failed {
  readonly requestId: string;
  readonly model: string | undefined;
}

/** Encodes every response. The only place that maps errors to statuses. */
export function envelope(
  outcome: () => EnvelopeOptions,
  { success, responseKinds }: Pick<Route, 'success' | 'responseKinds'>,
  formatFor: (event: APIGatewayProxyEvent) => ResponseFormat,
): Middleware {
  return {
    after: function wrapData(request) {
      const { call } = request.context;
      const { response: lifecycle } = call;
      const format = formatFor(request.event);
      const { status: statusCode, message } = call.idempotency?.replay?.response ?? success;
      const headers = { ...responseHeaders(call, format), ...crossOrigin(request.event) };
      lifecycle.status = statusCode;
      lifecycle.headers = headers;
      const result = request.response;
      if (result instanceof StreamedResponse) {
        const explain = (error: unknown) => serviceErrorOf(error, call);
        const isBytes = result instanceof StreamedBytes;
        const body = isBytes
          ? byteStream(result, { lifecycle, explain })
          : eventStream(result, { format, lifecycle, explain });
        request.response = {
          statusCode,
          headers: { ...headers, ...(isBytes ? { 'Content-Type': result.contentType } : streamHeaders) },
          body,
          lifecycle,
        } satisfies CallResponse;
        // Awaited last, so that everything else runs while the model works.
        return result.begun();
      }
      const isText = responseKinds.includes('text') && v.is(TextBody, result);
      if (isText) lifecycle.headers = { ...headers, 'Content-Type': result.contentType };
      const body = isText ? result.body : JSON.stringify(format.success(statusCode, message, result ?? null));
      lifecycle.body = body;
      const cookies = cookieHeaders(call, outcome().sessionCookie);
      request.response = { statusCode, headers: lifecycle.headers, ...cookies, body, lifecycle } satisfies CallResponse;
      return undefined;
    },
    onError: function wrapError(request) {
      const { call } = request.context;
      const { response: lifecycle } = call;
      const error = serviceErrorOf(request.error, call);
      const format = formatFor(request.event);
      const headers = {
        ...responseHeaders(call, format),
        ...crossOrigin(request.event),
        ...format.errorHeaders(error),
        ...errorHeaders(error),
      };
      const statusCode = errorStatus[error.code];
      lifecycle.status = statusCode;
      lifecycle.headers = headers;
      const cookies = cookieHeaders(call, outcome().sessionCookie);
      const body = JSON.stringify(format.error(withCharge(error, call)));
      lifecycle.body = body;
      request.response = { statusCode, headers, ...cookies, body, lifecycle } satisfies CallResponse;
    },
  };

  function crossOrigin(event: APIGatewayProxyEvent): Headers {
    return corsHeaders(outcome().corsOrigins, event.path, originOf(event));
  }

  function serviceErrorOf(error: unknown, call: Call): ServiceError {
    const refusal = toServiceError(error, call);
    call.response.refusal = refusal;
    return refusal;
  }

  function toServiceError(error: unknown, call: Call): ServiceError {
    const { requestId, order } = call;
    if (call.admission?.isCancelled) return cancelled();
    const known = error instanceof ServiceError ? error : outcome().explain(error);
    if (known && errorStatus[known.code] >= 500) outcome().onFailure(known, { requestId, model: order?.model });
    if (known) return known;
    outcome().onUnforeseen(error, call.requestId);
    return new ServiceError(
      'INTERNAL_ERROR',
      `Something went wrong on our side. Contact support with the request ID ${call.requestId}.`,
    );
  }
}

const modelFailures: ReadonlySet<ErrorCode> = new Set(['MODEL_ERROR', 'MODEL_TIMEOUT']);

function withCharge(error: ServiceError, { receipt }: Call): Refusal {
  if (!modelFailures.has(error.code) || receipt?.charged !== 0) return error;
  return { code: error.code, field: error.field, detail: `${error.detail} You were not charged.` };
}

/** Cancelling also aborts the model call, so any error of the model is a consequence. */
const cancelled = () =>
  new ServiceError(
    'REQUEST_CANCELLED',
    'The request was cancelled. You are charged for the output that was delivered.',
  );

/** API Gateway requires `multiValueHeaders` for repeated headers. */
function cookieHeaders(call: Call, sessionCookie: string) {
  const cookies = cookiesOf(call, sessionCookie);
  return cookies.length > 0 ? { multiValueHeaders: { 'Set-Cookie': cookies } } : {};
}

type Headers = Record<string, string>;

const fixedHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** API Gateway limits all headers to 10 KB. A name has at most 128 characters. */
const maxToolsNamed = 32;

function responseHeaders(call: Call, { requestIdHeader }: ResponseFormat): Headers {
  const { requestId, receipt, idempotency, order } = call;
  const headers: Headers = { ...fixedHeaders, 'x-request-id': requestId, ...modelDateHeaders(call) };
  if (requestIdHeader !== undefined) headers[requestIdHeader] = requestId;
  if (order?.toolsLeftOut) headers['x-tools-left-out'] = order.toolsLeftOut.slice(0, maxToolsNamed).join(', ');
  if (receipt) addReceipt(headers, receipt);
  if (idempotency?.replay) {
    headers['Idempotent-Replayed'] = 'true';
    headers['x-original-request-id'] = idempotency.replay.of;
  }
  return headers;
}

function errorHeaders(error: ServiceError): Headers {
  const { code, retryAfterSeconds, isLasting, rateLimit, originalRequestId, allowedMethods } = error;
  const headers: Headers = {};
  if (rateLimit) addRateLimit(headers, rateLimit);
  if (retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(Math.ceil(retryAfterSeconds));
    // OpenAI's SDKs prefer this header to Retry-After.
    if (code === 'REQUEST_IN_PROGRESS') headers['retry-after-ms'] = String(Math.ceil(retryAfterSeconds * 1000));
  }
  if (isLasting) headers['x-should-retry'] = 'false';
  if (originalRequestId !== undefined) headers['x-original-request-id'] = originalRequestId;
  if (allowedMethods) headers['Allow'] = allowedMethods.join(', ');
  return headers;
}

function addReceipt(headers: Headers, { rateLimit, held, charged, remaining, keyRemaining }: Receipt): void {
  if (rateLimit) addRateLimit(headers, rateLimit);
  if (held !== undefined) headers['x-credits-held'] = decimalCredits(held);
  if (charged !== undefined) headers['x-credits-charged'] = decimalCredits(charged);
  if (remaining !== undefined) headers['x-credits-remaining'] = decimalCredits(remaining);
  if (keyRemaining !== undefined) headers['x-key-credits-remaining'] = decimalCredits(keyRemaining);
}

function addRateLimit(headers: Headers, { limit, remaining, resetMs }: RateLimit): void {
  const resetSeconds = Math.ceil(resetMs / 1000);
  headers['x-ratelimit-limit-requests'] = String(limit);
  headers['x-ratelimit-remaining-requests'] = String(remaining);
  headers['x-ratelimit-reset-requests'] = `${resetSeconds}s`;
  headers['RateLimit-Policy'] = `"minute";q=${limit};w=60`;
  headers['RateLimit'] = `"minute";r=${remaining};t=${resetSeconds}`;
}

function cookiesOf({ cookies: { session, device, secondFactor } }: Call, sessionCookie: string): string[] {
  return [
    ...(session ? [cookie(sessionCookie, session)] : []),
    ...(device ? [cookie(cookieName('device', sessionCookie), device)] : []),
    ...(secondFactor ? [cookie(cookieName('secondFactor', sessionCookie), secondFactor)] : []),
  ];
}

function cookie(name: string, credential: OpenedSession | 'ended'): string {
  const { text, lifetimeMs } = credential === 'ended' ? { text: '', lifetimeMs: 0 } : credential;
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${text}; Path=/; Max-Age=${Math.floor(lifetimeMs / 1000)}; HttpOnly; SameSite=Lax${secure}`;
}
