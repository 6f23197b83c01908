import type { ModelError, ModelStreamError } from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import { parseJson } from '#contract/shared/json.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { mayFail } from './container.ts';

const retryAfterSeconds = 5;

/**
 * Maps a failed invocation to the caller's error (docs/inference.md#sagemaker-errors). The cause is for the log.
 * `timedOut`: our own deadline has passed, which the SDK reports in several ways.
 */
export function serviceErrorOf(error: unknown, model: string, timedOut: boolean): ServiceError {
  if (error instanceof ServiceError) return error;
  const cause = withoutWords(error);
  if (timedOut || hasTimedOut(error)) {
    return new ServiceError('MODEL_TIMEOUT', 'The model did not respond in time.', { cause });
  }
  if (isModelError(error)) return failureError(containerFailure(error), model, cause);
  if (isPassing(error)) {
    const detail = 'The model is busy or starting. Try again.';
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds });
  }
  if (isNamed(error, 'ValidationError') || isNamed(error, 'ValidationException')) {
    const detail = `The model ${model} is not available.`;
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds });
  }
  return new ServiceError('MODEL_ERROR', detailOf(error), { cause });
}

/** SageMaker allows 60 s for a whole reply and the configured duration for a stream. Bedrock has its own timeout. */
function hasTimedOut(error: unknown): boolean {
  if (isNamed(error, 'ModelTimeoutException')) return true;
  if (isModelStreamError(error)) return error.ErrorCode === 'ModelInvocationTimeExceeded';
  return isModelError(error) && /invocation timed out while waiting/.test(error.message);
}

function detailOf(error: unknown): string {
  const isInvalid = v.isValiError(error) || error instanceof SyntaxError || error instanceof BodyTooLarge;
  if (isInvalid) return 'The model returned an invalid response.';
  if (error instanceof Error && '$fault' in error) return 'The model failed.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'The model returned an invalid response.';
  return breaks.has(code)
    ? 'The connection to the model broke before the response was complete.'
    : 'The model could not be reached.';
}

/** Error codes of a connection that was closed after it had opened. */
const breaks = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const passing = ['ModelNotReadyException', 'ServiceUnavailable', 'ThrottlingException'];

const isPassing = (error: unknown): boolean => passing.some((name) => isNamed(error, name));

/** Compared by name, because importing the classes would load the whole SDK, which most calls never need. */
const isModelError = (error: unknown): error is ModelError => isNamed(error, 'ModelError');
const isModelStreamError = (error: unknown): error is ModelStreamError => isNamed(error, 'ModelStreamError');

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** The container's response: JSON of its family, or text from a proxy in front of it. */
function containerFailure({ OriginalMessage = '', OriginalStatusCode = 500 }: ModelError): ContainerFailure {
  return { message: failureIn(parseJson(OriginalMessage))?.message ?? OriginalMessage, status: OriginalStatusCode };
}

/**
 * Returns the error without messages that are not our own. SageMaker's message quotes the container, and a parser's
 * quotes its input; either may contain the caller's prompt.
 */
function withoutWords(error: unknown): unknown {
  if (!(error instanceof Error) || v.isValiError(error) || error instanceof TypeError) return error;
  const { name, code, OriginalStatusCode, ErrorCode, $metadata } = v.parse(Facts, error);
  const facts = [name, code, OriginalStatusCode, ErrorCode].filter((fact) => fact !== undefined);
  return Object.assign(new Error(facts.join(' ')), { $metadata });
}

const fact = v.fallback(v.optional(v.pipe(v.string(), v.regex(/^\w{1,64}$/))), undefined);

const Facts = v.object({
  name: fact,
  code: fact,
  OriginalStatusCode: v.fallback(v.optional(v.number()), undefined),
  ErrorCode: fact,
  $metadata: v.optional(v.unknown()),
});

/** An error reported by a container. Callers see at most a part of its message (`reasonIn`). */
export interface ContainerFailure {
  readonly message: string;
  readonly status?: number | undefined;
}

const status = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))), undefined);

/** vLLM, and newer servers of LMI. */
const Nested = v.pipe(
  v.object({ error: v.object({ message: v.string(), code: status, http_status_code: status }) }),
  v.transform(({ error }) => ({ message: error.message, status: error.code ?? error.http_status_code })),
);
/** TGI and TEI (`error_type`), LMI (`code`). */
const Flat = v.pipe(
  v.object({ error: v.string(), code: status, error_type: v.optional(v.string()) }),
  v.transform(({ error, code, error_type: type }) => ({ message: error, status: code ?? statusOfType(type) })),
);
/** Older vLLM. */
const TopLevel = v.pipe(
  v.object({ object: v.literal('error'), message: v.string(), code: status }),
  v.transform(({ message, code }) => ({ message, status: code })),
);
const Other = v.pipe(
  v.object({ error: v.pipe(v.unknown(), v.check(Boolean)) }),
  v.transform(() => ({ message: '', status: undefined })),
);
const Failure = v.union([Nested, Flat, TopLevel, Other]);

/** Returns the error that a reply or an event of a stream reports, or undefined. */
export function failureIn(value: unknown): ContainerFailure | undefined {
  if (!mayFail(value)) return undefined;
  const parsed = v.safeParse(Failure, value);
  return parsed.success ? parsed.output : undefined;
}

/** Maps an error within a stream to the status that TGI and TEI return before a response has begun. */
function statusOfType(type: string | undefined): number | undefined {
  const kind = type?.toLowerCase();
  if (kind === 'validation' || kind === 'tokenizer' || kind === 'empty') return 422;
  return kind === 'overloaded' ? 429 : undefined;
}

/** Maps the error to one for the caller: an invalid request, overload, or a model failure. */
export function failureError({ message, status }: ContainerFailure, model: string, cause?: unknown): ServiceError {
  const overflow = contextOverflow(message, model);
  if (overflow) return new ServiceError('CONTEXT_LENGTH_EXCEEDED', overflow, { cause });
  if (status === 400 || status === 413 || status === 422) {
    const reason = reasonIn(message);
    const detail =
      reason === undefined ? 'The model rejected the request.' : `The model rejected the request: ${reason}`;
    return new ServiceError('INVALID_FORMAT', detail, { cause });
  }
  if (status === 429 || status === 503) {
    const detail = 'The model is busy. Try again.';
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds: 5 });
  }
  return new ServiceError('MODEL_ERROR', 'The model failed.', { cause });
}

/** Error messages for requests that exceed the context, with the limit and the required tokens, if reported. */
const wordings: readonly RegExp[] = [
  // vLLM and LMI
  /maximum context length is (?<takes>\d{1,9}) tokens.*you requested (?<needs>\d{1,9})/s,
  /maximum context length is (?<takes>\d{1,9}) tokens.*your request has (?<needs>\d{1,9}) input tokens plus (?<output>\d{1,9})/s,
  /(?:max_tokens|max_completion_tokens)\S* is too large: (?<output>\d{1,9}).*maximum context length is (?<takes>\d{1,9}) tokens.*has (?<needs>\d{1,9}) input/s,
  /prompt \(length (?<needs>\d{1,9})\) is longer than the maximum model length of (?<takes>\d{1,9})/,
  /maximum context length|maximum model length|maximum input length/,
  // TGI and TEI
  /`max_new_tokens` must be <= (?<takes>\d{1,9})\. Given: (?<needs>\d{1,9}) `inputs` tokens and (?<output>\d{1,9})/,
  /`inputs` must have less than (?<takes>\d{1,9}) tokens\. Given: (?<needs>\d{1,9})/,
  // llama.cpp and OpenAI
  /exceeds? the available context size|context_length_exceeded/,
  // Bedrock, and Anthropic's models there
  /prompt is too long: (?<needs>\d{1,9}) tokens > (?<takes>\d{1,9})/,
  /exceed context limit: (?<needs>\d{1,9}) \+ (?<output>\d{1,9}) > (?<takes>\d{1,9})/,
  /[Ii]nput is too long/,
];

/** Maximum characters of an error message to search. The figures are within them, and the search stays fast. */
const maxReadLength = 2048;

/** Returns the detail for a context length error, or undefined for any other error. */
function contextOverflow(message: string, model: string): string | undefined {
  const beginning = message.slice(0, maxReadLength);
  for (const wording of wordings) {
    const found = wording.exec(beginning);
    if (found) return `context_length_exceeded: ${sentence(model, found.groups ?? {})}.`;
  }
  return undefined;
}

function sentence(model: string, { takes, needs, output = '0' }: Readonly<Record<string, string | undefined>>): string {
  if (takes === undefined || needs === undefined) return `the request does not fit the context of ${model}`;
  return `${model} accepts ${takes} tokens, and the request needs ${Number(needs) + Number(output)}`;
}

/** Maximum characters: read from a model's message, and returned to the caller. */
const maxRead = 1000;
const maxReason = 200;

/** Fields of requests, whose paths may appear in a reason: `messages[0].content`. */
const fields = [
  'messages',
  'message',
  'prompt',
  'input',
  'inputs',
  'content',
  'tools',
  'tool_choice',
  'tool_calls',
  'functions',
  'function_call',
  'response_format',
  'stop',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'file',
  'language',
].join('|');

/**
 * Words that may reach callers. Everything else could be a host, path, key or internal name: a mix of letters and
 * digits, capitals within a word, or other punctuation.
 */
const allowed: readonly RegExp[] = [
  /^[A-Za-z]?[a-z]{1,24}(?:['’][a-z]{1,3})?$/,
  /^(?:non|multi|pre|re|auto|over|left|right|zero|one|single|base)-[a-z]{1,24}$/i,
  /^[A-Z]{1,5}$/,
  /^[a-z]{1,24}(?:_[a-z]{1,24}){1,4}$/,
  new RegExp(`^(?:${fields})(?:\\[\\d{1,4}\\]?|\\.\\d{1,4}|\\.[a-z_]{1,24}){0,6}$`),
  /^-?\d{1,9}(?:\.\d{1,6})?%?$/,
  /^(?:[<>=]=?|!=|[-–+/])$/,
];

/** Words that introduce a quoted name, which is omitted. */
const naming = new Set(['model', 'endpoint', 'host', 'server', 'deployment', 'user', 'account', 'key', 'token']);

/**
 * Returns the first sentence of a model's message about an invalid request, for its caller: the clauses before the
 * first word that is not plainly language, a number or a field. Undefined if there is none.
 */
export function reasonIn(message: string): string | undefined {
  const text = message
    .slice(0, maxRead)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replace(/^(?:The model returned the following errors|Input validation error|[A-Za-z]*Error(?: code)?): ?/, '')
    .trim();
  if (/^[[{<]/.test(text)) return undefined;
  const [sentence = ''] = text.split(/(?<=[^\s.][.!?])(?: |$)/, 1);
  const words = sentence.split(' ');
  const kept: string[] = [];
  for (const [index, word] of words.entries()) {
    const isName = /^["'`]/.test(word) && naming.has(words[index - 1]?.toLowerCase() ?? '');
    if (isName) continue;
    if (!allowed.some((pattern) => pattern.test(plain(word)))) {
      const clause = kept.findLastIndex((earlier) => /[,;:]$/.test(earlier));
      kept.splice(clause + 1);
      break;
    }
    kept.push(word);
  }
  if (kept.length < 2) return undefined;
  const reason = kept.join(' ').replace(/(?<![\s.,;:!?])[\s.,;:!?]+$/, '');
  return reason.length <= maxReason ? `${reason}.` : `${reason.slice(0, maxReason).replace(/\s\S*$/, '')}…`;
}

/** The word without quotes, brackets and punctuation around it. */
const plain = (word: string): string =>
  word.replace(/^[("'`[{]+/, '').replace(/(?<![)"'`\]},;:.!?])[)"'`\]},;:.!?]+$/, '');

/**
 * An error of the model itself, with its status and message. This and the next two errors use the names of SageMaker's
 * runtime, so that `serviceErrorOf` maps the errors of every runtime.
 */
export const modelError = (status: number, text: string): Error =>
  Object.assign(new Error(`status ${status}`), {
    name: 'ModelError',
    OriginalStatusCode: status >= 400 ? status : 502,
    OriginalMessage: text,
  });

/** A mistake of the deployer. Callers see an unavailable model. */
export const misconfigured = (reason: string, cause?: unknown): Error =>
  Object.assign(new Error(reason, { cause }), { name: 'ValidationException' });

/** Throttled, starting or overloaded. */
export const busy = (cause: unknown): Error =>
  Object.assign(new Error('busy', { cause }), { name: 'ThrottlingException' });
