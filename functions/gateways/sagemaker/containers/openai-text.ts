import * as v from 'valibot';
import { ModelChatReply, type ModelChatRequest } from '#domain/inference/chat/chat.ts';
import { ModelCompletionReply, type ModelCompletionRequest } from '#domain/inference/completion/completion.ts';
import { ChatChunk, CompletionChunk } from '#domain/inference/streams/model-stream.ts';
import type { BodyOptions, TextDialect } from './container.ts';

/** Containers refuse a `top_p` of 0, which callers may send (docs/specification.md#post-chatcompletions: 0.0 to 1.0) and which means the most probable token. */
const minTopP = 1e-6;

export const positiveTopP = (topP: unknown): unknown => (topP === 0 ? minTopP : topP);

/** A body that is OpenAI's, as our requests are. A stream is to end with its usage. */
function body(request: ModelChatRequest | ModelCompletionRequest, { stream, servedName }: BodyOptions): object {
  return {
    ...request,
    top_p: positiveTopP(request['top_p']),
    model: servedName,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
}

/** `messages` decide that it is a chat. */
export const openAiChat: TextDialect<ModelChatRequest, ModelChatReply> = {
  body,
  reply: (value) => v.parse(ModelChatReply, value),
  chunk: (event) => v.parse(ChatChunk, event),
};

/**
 * `prompt` decides that it is a completion. Each chunk of its stream is to report the usage so far, so that one that is cut short
 * is charged by the count of a whole one; vLLM's own option (openai/protocol.py, StreamOptions).
 */
export const openAiCompletion: TextDialect<ModelCompletionRequest, ModelCompletionReply> = {
  body: (request, options) => ({
    ...body(request, options),
    ...(options.stream && { stream_options: { include_usage: true, continuous_usage_stats: true } }),
  }),
  reply: (value) => v.parse(ModelCompletionReply, value),
  chunk: (event) => v.parse(CompletionChunk, event),
};
