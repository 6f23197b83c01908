import type { ModelGateway } from '#domain/inference/model-gateway.ts';
import { embed } from './embeddings-calls.ts';
import type { ModelRuntime } from './runtime.ts';
import type { ModelGatewaySettings } from './served-model.ts';
import { chatKind, completionKind, ReplyCall, StreamCall } from './text-calls.ts';

/**
 * Models in containers behind SageMaker endpoints. A call is tried once (the client's `maxAttempts`): a second try would
 * repeat the model's work within the caller's time, and the refusals that pass by themselves have the time to retry after.
 */
export function sagemakerGateway(runtime: ModelRuntime, settings: ModelGatewaySettings): ModelGateway {
  const context = { runtime, settings };
  return {
    chat: (model, request) => new ReplyCall(context, chatKind, model, request),
    chatStream: (model, request) => new StreamCall(context, chatKind, model, request),
    completion: (model, request) => new ReplyCall(context, completionKind, model, request),
    completionStream: (model, request) => new StreamCall(context, completionKind, model, request),
    embed: (model, request) => embed(context, model, request),
  };
}
