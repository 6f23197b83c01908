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
  /** `task`: the container's name of the task, if reported. */
  readonly reply: (value: unknown) => ModelTranscript & { readonly task?: string | undefined };
}

/** Capabilities of a container family, and its requests (docs/inference.md#container-contracts). */
export interface Container {
  readonly chat?: TextDialect<ModelChatRequest, ModelChatReply>;
  readonly completion?: TextDialect<ModelCompletionRequest, ModelCompletionReply>;
  readonly embeddings?: EmbeddingsDialect;
  readonly speech?: SpeechDialect;
  readonly transcription?: TranscriptionDialect;
}

/** Fast check for the fields of an error (`errors.ts`): it runs on each chunk, and errors are rare. */
export function mayFail(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('error' in value || Reflect.get(value, 'object') === 'error');
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
