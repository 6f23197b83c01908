import * as v from 'valibot';
import type { ModelSpeechRequest } from '#domain/audio/speech.ts';
import type { ModelTranscript, ModelTranscriptionRequest } from '#domain/audio/transcription.ts';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

export interface BodyOptions {
  /** Whether to stream the response. */
  readonly stream: boolean;
  /** Name for the container's `model` field. Most containers serve a single model and need none. */
  readonly servedName?: string | undefined;
}

/** Text requests and responses of a container family on /invocations. Parsers throw ValiError. */
export interface TextDialect<Request, Reply> {
  readonly body: (request: Request, options: BodyOptions) => unknown;
  readonly reply: (value: unknown) => Reply;
  readonly chunk: (event: unknown) => ModelChunk;
}

/** Vectors in the order of their texts, and the token count if the container reports it. */
export interface Vectors {
  readonly vectors: readonly number[][];
  readonly promptTokens?: number | undefined;
}

/** Maximum texts per request. */
export interface EmbeddingsBatch {
  readonly texts: number;
  readonly body: unknown;
}

export interface EmbeddingsDialect {
  /** In the order of the texts. */
  readonly batches: (request: ModelEmbeddingsRequest, servedName?: string) => readonly EmbeddingsBatch[];
  readonly reply: (value: unknown) => Vectors;
}

/** Throws 400 for options that callers set and the container does not have. */
export function refuseOptions(request: Readonly<Record<string, unknown>>, options: object): void {
  const path = Object.keys(options).find((name) => request[name] !== undefined);
  if (path === undefined) return;
  const detail = `${path} is not supported by this model.`;
  throw new ServiceError('INVALID_FORMAT', detail, { field: { path, isMissing: false } });
}

/** Cuts the texts of a request into batches of at most `size`. */
export function textBatches<Body>(
  { input }: ModelEmbeddingsRequest,
  size: number,
  body: (texts: readonly string[]) => Body,
): readonly EmbeddingsBatch[] {
  return Array.from({ length: Math.ceil(input.length / size) }, (_, batch) => {
    const texts = input.slice(batch * size, (batch + 1) * size);
    return { texts: texts.length, body: body(texts) };
  });
}

export interface SpeechDialect {
  /** `CustomAttributes` of the invocation. */
  readonly attributes: string;
  readonly body: (request: ModelSpeechRequest, servedName?: string) => unknown;
}

export interface TranscriptionDialect {
  readonly body: (
    request: ModelTranscriptionRequest,
    servedName?: string,
  ) => { readonly bytes: Uint8Array; readonly contentType: string };
  readonly reply: (value: unknown) => ModelTranscript;
}

/** Capabilities of a container family, and its requests (docs/inference.md#container-contracts). */
export interface Container {
  readonly chat?: TextDialect<ModelChatRequest, ModelChatReply>;
  readonly completion?: TextDialect<ModelCompletionRequest, ModelCompletionReply>;
  readonly embeddings?: EmbeddingsDialect;
  readonly speech?: SpeechDialect;
  readonly transcription?: TranscriptionDialect;
}

/** An error reported by a container: its message, which is never returned to callers, and its status, if any. */
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

/** Fast check for the fields of an error: it runs on each chunk of each stream, and errors are rare. */
function mayFail(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('error' in value || Reflect.get(value, 'object') === 'error');
}

/** The status that TGI and TEI return for this error before a response has begun. */
function statusOfType(type: string | undefined): number | undefined {
  const kind = type?.toLowerCase();
  if (kind === 'validation' || kind === 'tokenizer' || kind === 'empty') return 422;
  return kind === 'overloaded' ? 429 : undefined;
}

/** Maps the error to the caller's: an invalid request, overload, or a model failure. */
export function failureError({ message, status }: ContainerFailure, model: string, cause?: unknown): ServiceError {
  const overflow = contextOverflow(message, model);
  if (overflow) return new ServiceError('CONTEXT_LENGTH_EXCEEDED', overflow, { cause });
  if (status === 400 || status === 413 || status === 422) {
    return new ServiceError('INVALID_FORMAT', 'The model rejected the request.', { cause });
  }
  if (status === 429 || status === 503) {
    const detail = 'The model is busy. Try again.';
    return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds: 5 });
  }
  return new ServiceError('MODEL_ERROR', 'The model failed.', { cause });
}

/** Finish reasons of failed generations, in vLLM and older servers of LMI. */
const failures = new Set(['error', 'abort']);

export function refuseFailed({ finish_reason: reason }: { finish_reason?: string | null | undefined }) {
  if (reason && failures.has(reason)) throw new ServiceError('MODEL_ERROR', 'The model failed.');
}

interface Message {
  readonly content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly tool_calls?: readonly unknown[] | null | undefined;
}
export const isSilent = (message: Message | null | undefined): boolean =>
  !message?.content && !message?.reasoning && !message?.tool_calls?.length;

interface WholeReply {
  readonly choices: readonly { text?: string; message?: Message; finish_reason?: string | null | undefined }[];
  readonly usage?: { readonly prompt_tokens: number } | null | undefined;
}

/** A reply without output, finish reason and usage is invalid, so the caller is not charged. */
export function refuseEmpty({ choices: [first], usage }: WholeReply): void {
  if (usage?.prompt_tokens || first?.finish_reason || first?.text || !isSilent(first?.message)) return;
  throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
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
  // llama.cpp and OpenAI, configured as an external server in local mode.
  /exceeds? the available context size|context_length_exceeded/,
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
  return `${model} takes ${takes} tokens, and the request needs ${Number(needs) + Number(output)}`;
}
