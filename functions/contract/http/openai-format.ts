import { type ErrorCode, errorStatus, type Refusal } from '../shared/errors.ts';
import { serverSentEvent } from '../shared/server-sent-event.ts';
import type { ResponseFormat } from './response-format.ts';

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
export const openAiFormat: ResponseFormat = {
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
