import type { ModelSpeechRequest } from '#domain/audio/speech-gateway.ts';
import type { ModelTranscript, ModelTranscriptionRequest } from '#domain/audio/transcription-gateway.ts';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion/completion.ts';
import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';

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

/** What a family of containers can do, and the requests it takes (docs/design/containers.md#container-contracts-on-invocations). */
export interface Container {
  readonly chat?: TextDialect<ModelChatRequest, ModelChatReply>;
  readonly completion?: TextDialect<ModelCompletionRequest, ModelCompletionReply>;
  readonly embeddings?: EmbeddingsDialect;
  readonly speech?: SpeechDialect;
  readonly transcription?: TranscriptionDialect;
}
