import type { ModelChatReply, ModelChatRequest } from './chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from './completion.ts';
import type { ModelEmbeddings, ModelEmbeddingsRequest } from './embeddings.ts';
import type { ModelChunk } from './model-stream.ts';
import type { Preparable } from './order.ts';

/** Throws MODEL_ERROR, MODEL_TIMEOUT, or SERVICE_UNAVAILABLE, which includes missing endpoints. */
export interface ModelGateway {
  chat(model: string, request: ModelChatRequest): ModelCall<Promise<ModelChatReply>>;
  chatStream(model: string, request: ModelChatRequest): ModelCall<ModelStream>;
  completion(model: string, request: ModelCompletionRequest): ModelCall<Promise<ModelCompletionReply>>;
  completionStream(model: string, request: ModelCompletionRequest): ModelCall<ModelStream>;
  embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings>;
}

/** A model call that is sent once. `prepare` serializes and signs the request; otherwise `send` does. */
export interface ModelCall<Result> extends Preparable {
  /** `signal` shortens the gateway's own deadline. An abort is a MODEL_TIMEOUT too. */
  send(signal?: AbortSignal): Result;
}

/** Must be consumed immediately, because its deadline is already running. */
export interface ModelStream {
  readonly chunks: AsyncGenerator<ModelChunk>;
  readonly cancel: () => void;
}
