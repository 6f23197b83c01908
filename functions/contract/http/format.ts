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

/** An error response: the four fields, and `detail`, one sentence naming the field and the rule (docs/guides/errors.md). */
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

/** The specification's responses; a stream is envelopes STREAM_CHUNK, then STREAM_COMPLETE, or an error envelope. */
const envelopeFormat: ResponseFormat = {
  success: successEnvelope,
  error: ({ code, detail }) => errorEnvelope(code, detail),
  errorHeaders: () => ({}),
  chunkEvent: (data) => serverSentEvent(successEnvelope(200, 'STREAM_CHUNK', data)),
  endEvent: () => serverSentEvent(successEnvelope(200, 'STREAM_COMPLETE', null)),
  errorEvent: ({ code, detail }) => serverSentEvent(errorEnvelope(code, detail)),
};

/** An error as OpenAI's clients read it. */
export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** The kind of an error, by its status; any other of 4xx is the request's fault. */
const types: Readonly<Partial<Record<number, string>>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Where OpenAI has a name of its own; the others are our own codes in lower case. */
const names: Readonly<Partial<Record<ErrorCode, string>>> = {
  INSUFFICIENT_CREDITS: 'insufficient_quota',
  METHOD_NOT_ALLOWED: 'method_not_supported',
  NOT_FOUND: 'unknown_url',
};

/** The refusals that pass by themselves; after any other, `x-should-retry` stops a client's retries. */
const retryable: ReadonlySet<ErrorCode> = new Set(['RATE_LIMIT_EXCEEDED', 'REQUEST_IN_PROGRESS']);

/** Bare objects and `error` objects, as OpenAI's clients expect them; a stream ends with `[DONE]`, or with an error. */
const openAiFormat: ResponseFormat = {
  success: (_status, _message, data) => data,
  error: openAiError,
  errorHeaders: ({ code }): Record<string, string> =>
    errorStatus[code] < 500 && !retryable.has(code) ? { 'x-should-retry': 'false' } : {},
  chunkEvent: serverSentEvent,
  endEvent: () => 'data: [DONE]\n\n',
  errorEvent: (refusal) => serverSentEvent(openAiError(refusal)),
};

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
  return field ? 'invalid_value' : null;
}

export type FormatName = 'envelope' | 'openai';

/** How responses are written: the same data and refusals, in one format or another. */
export interface ResponseFormat {
  success(status: number, message: string, data: unknown): unknown;
  error(refusal: Refusal): unknown;
  /** What this format adds to the headers of a refusal. */
  errorHeaders(refusal: Refusal): Readonly<Record<string, string>>;
  /** The events of a stream: a chunk, the one after the last chunk, and the one in its place where it broke off. */
  chunkEvent(data: unknown): string;
  endEvent(): string;
  errorEvent(refusal: Refusal): string;
}

/** The format of everything at a path, whether or not there is a route (docs/guides/openai-sdks.md#what-differs). */
export function formatNameOf(path: string): FormatName {
  return path === '/openai' || path.startsWith('/openai/') ? 'openai' : 'envelope';
}

export const responseFormats: Readonly<Record<FormatName, ResponseFormat>> = {
  envelope: envelopeFormat,
  openai: openAiFormat,
};

export const formatOf = (path: string): ResponseFormat => responseFormats[formatNameOf(path)];

/** A route's id as the API document has it: `create-key` is `createKey`. */
export const operationId = (routeId: string): string =>
  routeId.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A response that is neither JSON nor audio, of a route whose kinds have `text`. Kept and sent again as any other. */
export const TextBody = v.strictObject({ contentType: v.string(), body: v.string() });
export type TextBody = v.InferOutput<typeof TextBody>;
