import type { ModelChatReply, ModelChatRequest } from './chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from './completion.ts';
import type { ModelEmbeddings, ModelEmbeddingsRequest } from './embeddings.ts';
import type { ModelChunk } from './model-stream.ts';
import type { Preparable } from './order.ts';

/**
 * The models behind the service. A text call leaves only when it is sent. Failures are ServiceErrors: MODEL_ERROR, MODEL_TIMEOUT,
 * SERVICE_UNAVAILABLE, also for a model that is not there.
 */
export interface ModelGateway {
  chat(model: string, request: ModelChatRequest): ModelCall<Promise<ModelChatReply>>;
  chatStream(model: string, request: ModelChatRequest): ModelCall<ModelStream>;
  completion(model: string, request: ModelCompletionRequest): ModelCall<Promise<ModelCompletionReply>>;
  completionStream(model: string, request: ModelCompletionRequest): ModelCall<ModelStream>;
  embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings>;
}

/** One call of a model, sent once. To prepare it serializes and signs the request; `send` does so itself where that was not done. */
export interface ModelCall<Result> extends Preparable {
  /** `signal` ends the wait earlier than the gateway's own deadline; that is a MODEL_TIMEOUT too. */
  send(signal?: AbortSignal): Result;
}

/** To be read immediately: its time runs from the beginning. */
export interface ModelStream {
  readonly chunks: AsyncGenerator<ModelChunk>;
  /** Ends the model's work. */
  readonly cancel: () => void;
}
