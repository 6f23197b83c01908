import * as v from 'valibot';
import { type ErrorCode, errorStatus, type Refusal } from '../shared/errors.ts';
import { serverSentEvent } from '../shared/fields.ts';

/** The four fields of every JSON response (docs/specification.md#response-envelope-all-json-responses). */
export interface Envelope<Data = unknown> {
  message: string;
  error: boolean;
  data: Data | null;
  status: number;
}

/**
 * An error response: the four fields, and `detail`, one sentence naming the field and the rule (docs/guides/errors.md).
 */
export interface ErrorEnvelope extends Envelope<null> {
  message: ErrorCode;
  detail: string;
}

const successEnvelope = (status: number, message: string, data: unknown): Envelope => ({
  message,
  error: false,
  data,
  status,
});

export const errorEnvelope = (code: ErrorCode, detail: string): ErrorEnvelope => ({
  message: code,
  error: true,
  data: null,
  status: errorStatus[code],
  detail,
});

/**
 * Response format of the specification. A stream consists of STREAM_CHUNK envelopes, then STREAM_COMPLETE or an error
 * envelope.
 */
const envelopeFormat: ResponseFormat = {
  success: successEnvelope,
  error: ({ code, detail }) => errorEnvelope(code, detail),
  errorHeaders: () => ({}),
  chunkEvent: (data) => serverSentEvent(successEnvelope(200, 'STREAM_CHUNK', data)),
  endEvent: () => serverSentEvent(successEnvelope(200, 'STREAM_COMPLETE', null)),
  errorEvent: ({ code, detail }) => serverSentEvent(errorEnvelope(code, detail)),
};

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Error type by status. Any other 4xx is an `invalid_request_error`. */
const types: Readonly<Partial<Record<number, string>>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Codes for which OpenAI has its own name. The others are our codes in lower case. */
const names: Readonly<Partial<Record<ErrorCode, string>>> = {
  INSUFFICIENT_CREDITS: 'insufficient_quota',
  METHOD_NOT_ALLOWED: 'method_not_supported',
  NOT_FOUND: 'unknown_url',
};

/** Errors that are worth retrying. After any other, `x-should-retry` prevents the client's retries. */
const retryable: ReadonlySet<ErrorCode> = new Set(['RATE_LIMIT_EXCEEDED', 'REQUEST_IN_PROGRESS']);

/** Read by the SDKs of OpenAI and Anthropic. */
function retryHeaders({ code }: Refusal): Record<string, string> {
  return errorStatus[code] < 500 && !retryable.has(code) ? { 'x-should-retry': 'false' } : {};
}

/** OpenAI's format: bare objects and `error` objects. A stream ends with `[DONE]` or an error. */
const openAiFormat: ResponseFormat = {
  success: (_status, _message, data) => data,
  error: openAiError,
  errorHeaders: retryHeaders,
  chunkEvent: serverSentEvent,
  endEvent: () => 'data: [DONE]\n\n',
  errorEvent: (refusal) => serverSentEvent(openAiError(refusal)),
};

/** OpenAI's format for responses: the field `event` equals the type, and a stream always ends with `[DONE]`. */
const responsesFormat: ResponseFormat = {
  ...openAiFormat,
  error: responsesError,
  chunkEvent: namedEvent,
  errorEvent: (refusal) =>
    `${namedEvent({ ...responsesError(refusal).error, type: 'error' })}${openAiFormat.endEvent()}`,
};

/** Error type by status, if Open Responses has its own. */
const responsesTypes: Readonly<Partial<Record<number, string>>> = { 404: 'not_found', 429: 'too_many_requests' };

const modelErrors: ReadonlySet<ErrorCode> = new Set(['MODEL_ERROR', 'MODEL_TIMEOUT']);

export function responsesError(refusal: Refusal): OpenAiError {
  const { error } = openAiError(refusal);
  const { code } = refusal;
  const type = modelErrors.has(code) ? 'model_error' : responsesTypes[errorStatus[code]];
  return type === undefined ? { error } : { error: { ...error, type } };
}

/** `data.type` is the name of the event. */
function namedEvent(data: unknown): string {
  const type = typeof data === 'object' && data !== null && 'type' in data ? String(data.type) : 'message';
  return `event: ${type}\n${serverSentEvent(data)}`;
}

function openAiError(refusal: Refusal): OpenAiError {
  const { code, detail, field } = refusal;
  const status = errorStatus[code];
  const type = status >= 500 ? 'server_error' : (types[status] ?? 'invalid_request_error');
  return { error: { message: detail, type, param: field?.path ?? null, code: codeOf(refusal) } };
}

function codeOf({ code, field }: Refusal): string | null {
  if (code !== 'INVALID_FORMAT' && field === undefined) return names[code] ?? code.toLowerCase();
  if (field?.isMissing) return 'missing_required_parameter';
  if (field?.path === 'model') return 'model_not_found';
  if (code === 'NOT_FOUND') return field?.path === 'previous_response_id' ? 'previous_response_not_found' : 'not_found';
  return field ? 'invalid_value' : null;
}

export interface AnthropicError {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string; readonly details?: typeof unthreaded };
}

/** Makes the SDK's tool runner send the whole conversation instead. */
const unthreaded = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

/** Error type by status. Any other 4xx is an `invalid_request_error`, and any other 5xx an `api_error`. */
const anthropicTypes: Readonly<Partial<Record<number, string>>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Anthropic's format: bare objects and `error` objects. A stream ends with `message_stop` or an error. */
const anthropicFormat: ResponseFormat = {
  requestIdHeader: 'request-id',
  success: (_status, _message, data) => data,
  error: anthropicError,
  errorHeaders: retryHeaders,
  chunkEvent: namedEvent,
  endEvent: () => namedEvent({ type: 'message_stop' }),
  errorEvent: (refusal) => namedEvent(anthropicError(refusal)),
};

function anthropicError({ code, detail, field }: Refusal): AnthropicError {
  const status = errorStatus[code];
  const type = anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  const details = field?.path === 'thread' ? { details: unthreaded } : {};
  return { type: 'error', error: { type, message: detail, ...details } };
}

export type FormatName = 'envelope' | 'openai' | 'responses' | 'anthropic';

/** Response formats. Data and errors are the same in each. */
export interface ResponseFormat {
  success(status: number, message: string, data: unknown): unknown;
  error(refusal: Refusal): unknown;
  /** Header with the request's id that the clients of this format read, in addition to `x-request-id`. */
  readonly requestIdHeader?: string;
  /** Additional headers of an error in this format. */
  errorHeaders(refusal: Refusal): Readonly<Record<string, string>>;
  /**
   * Events of a stream: a chunk, the event after the last chunk, and the error event that replaces it if the stream
   * fails.
   */
  chunkEvent(data: unknown): string;
  endEvent(): string;
  errorEvent(refusal: Refusal): string;
}

const pathFormats: readonly (readonly [path: string, format: FormatName])[] = [
  ['/openai/v1/responses', 'responses'],
  ['/openai', 'openai'],
  ['/anthropic', 'anthropic'],
];

/** Format of every response below a path, including paths without a route (docs/guides/openai-sdks.md#differences). */
export function formatNameOf(path: string): FormatName {
  const found = pathFormats.find(([parent]) => path === parent || path.startsWith(`${parent}/`));
  return found?.[1] ?? 'envelope';
}

export const responseFormats: Readonly<Record<FormatName, ResponseFormat>> = {
  envelope: envelopeFormat,
  openai: openAiFormat,
  responses: responsesFormat,
  anthropic: anthropicFormat,
};

export const formatOf = (path: string): ResponseFormat => responseFormats[formatNameOf(path)];

/** Route id in the API document: `create-key` becomes `createKey`. */
export const operationId = (routeId: string): string =>
  routeId.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A plain text response, for routes whose kinds include `text`. Stored and replayed like any other. */
export const TextBody = v.strictObject({ contentType: v.string(), body: v.string() });
export type TextBody = v.InferOutput<typeof TextBody>;
