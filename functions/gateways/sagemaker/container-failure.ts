import * as v from 'valibot';
import { ServiceError } from '#domain/shared/service-error.ts';
import { mayFail } from './container.ts';

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
 * Returns the first sentence of a model's message about an invalid request, for its caller: the clauses before the first
 * word that is not plainly language, a number or a field. Undefined if there is none.
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
