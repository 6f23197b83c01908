import * as v from 'valibot';
import type { ModelSpeechRequest } from '#domain/audio/speech.ts';
import type { ModelTranscript, ModelTranscriptionRequest } from '#domain/audio/transcription.ts';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelChunk } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

export interface BodyOptions {
  /** Whether the response is to be streamed. */
  readonly stream: boolean;
  /** The name that the container wants as `model`; most serve a single model and need none. */
  readonly servedName?: string | undefined;
}

/** The requests for text that a family of containers takes on /invocations, and its responses. Parsers throw ValiError. */
export interface TextDialect<Request, Reply> {
  readonly body: (request: Request, options: BodyOptions) => unknown;
  readonly reply: (value: unknown) => Reply;
  /** One event of a stream. */
  readonly chunk: (event: unknown) => ModelChunk;
}

/** Vectors in the order of their texts, and how many tokens those had where the container reports it. */
export interface Vectors {
  readonly vectors: readonly number[][];
  readonly promptTokens?: number | undefined;
}

/** Texts that a container takes in one request. */
export interface EmbeddingsBatch {
  readonly texts: number;
  readonly body: unknown;
}

export interface EmbeddingsDialect {
  /** In the order of the texts. */
  readonly batches: (request: ModelEmbeddingsRequest, servedName?: string) => readonly EmbeddingsBatch[];
  readonly reply: (value: unknown) => Vectors;
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

/** What a family of containers can do, and the requests it takes (docs/inference.md#container-contracts). */
export interface Container {
  readonly chat?: TextDialect<ModelChatRequest, ModelChatReply>;
  readonly completion?: TextDialect<ModelCompletionRequest, ModelCompletionReply>;
  readonly embeddings?: EmbeddingsDialect;
  readonly speech?: SpeechDialect;
  readonly transcription?: TranscriptionDialect;
}

/** A failure as a container reports it: its message, which is never passed on, and a status where it gives one. */
export interface ContainerFailure {
  readonly message: string;
  readonly status?: number | undefined;
}

const status = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))), undefined);

/** vLLM now, and LMI's newer servers. */
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

/** The failure that a reply or an event of a stream reports; undefined when it is none. */
export function failureIn(value: unknown): ContainerFailure | undefined {
  if (!mayFail(value)) return undefined;
  const parsed = v.safeParse(Failure, value);
  return parsed.success ? parsed.output : undefined;
}

/** What every form of a failure has; each chunk of each stream is looked at, and nearly none fails. */
function mayFail(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('error' in value || Reflect.get(value, 'object') === 'error');
}

/** The status that TGI and TEI would have responded with, had the response not begun. */
function statusOfType(type: string | undefined): number | undefined {
  const kind = type?.toLowerCase();
  if (kind === 'validation' || kind === 'tokenizer' || kind === 'empty') return 422;
  return kind === 'overloaded' ? 429 : undefined;
}

/** The error for the caller: the request's fault, overload, or a failure of the model. */
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

/** Why a model ended that has failed: words of vLLM, and of older servers of LMI. */
const failures = new Set(['error', 'abort']);

export function refuseFailed({ finish_reason: reason }: { finish_reason?: string | null | undefined }) {
  if (reason && failures.has(reason)) throw new ServiceError('MODEL_ERROR', 'The model failed.');
}

interface Message {
  readonly content?: string | null | undefined;
  readonly tool_calls?: readonly unknown[] | null | undefined;
}
export const isSilent = (message: Message | null | undefined): boolean =>
  !message?.content && !message?.tool_calls?.length;

interface WholeReply {
  readonly choices: readonly { text?: string; message?: Message; finish_reason?: string | null | undefined }[];
  readonly usage?: { readonly prompt_tokens: number } | null | undefined;
}

/** A reply without output, a reason to end and usage is none: nobody is to pay for it. */
export function refuseEmpty({ choices: [first], usage }: WholeReply): void {
  if (usage?.prompt_tokens || first?.finish_reason || first?.text || !isSilent(first?.message)) return;
  throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
}

/** How containers report that a request does not fit, with what they take and what the request needs where they report it. */
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
  // llama.cpp and OpenAI's own, behind an address given on one machine
  /exceeds? the available context size|context_length_exceeded/,
];

/** Characters. What a container reports of the context stands within them, and no wording takes long to look for. */
const maxReadLength = 2048;

/** The detail for the caller when a container complains of the context's length; undefined when of something else. */
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
