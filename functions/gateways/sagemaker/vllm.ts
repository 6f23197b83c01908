import * as v from 'valibot';
import { ModelChatReply, type ModelChatRequest } from '#domain/inference/chat.ts';
import { ModelCompletionReply, type ModelCompletionRequest } from '#domain/inference/completion.ts';
import { ModelEmbeddings } from '#domain/inference/embeddings.ts';
import { ChatChunk, CompletionChunk } from '#domain/inference/model-stream.ts';
import type { BodyOptions, Container, TextDialect } from './container.ts';
import { bareVectors } from './tei.ts';

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
const openAiChat: TextDialect<ModelChatRequest, ModelChatReply> = {
  body,
  reply: (value) => v.parse(ModelChatReply, value),
  chunk: (event) => v.parse(ChatChunk, event),
};

/**
 * `prompt` decides that it is a completion. Each chunk of its stream is to report the usage so far, so that one that is cut short
 * is charged by the count of a whole one; vLLM's own option (openai/protocol.py, StreamOptions).
 */
const openAiCompletion: TextDialect<ModelCompletionRequest, ModelCompletionReply> = {
  body: (request, options) => ({
    ...body(request, options),
    ...(options.stream && { stream_options: { include_usage: true, continuous_usage_stats: true } }),
  }),
  reply: (value) => v.parse(ModelCompletionReply, value),
  chunk: (event) => v.parse(CompletionChunk, event),
};

/** Each text has its own vector. */
const Indexes = v.custom<ModelEmbeddings['data']>(
  (data) => Array.isArray(data) && data.every(({ index }, position) => index === position),
);

/**
 * vLLM: OpenAI's bodies and replies, distinguished by their shape, with `top_k` as one more field; streams are server-sent
 * events that end with `[DONE]`. Without `model` it responds with the one it serves, and a foreign name is a 404. It
 * applies `stop` itself and leaves the sequence out (vllm/entrypoints/sagemaker, openai/protocol.py).
 */
export const vllm: Container = {
  chat: openAiChat,
  completion: openAiCompletion,
  embeddings: {
    batches: ({ input, dimensions }, servedName) => [
      { texts: input.length, body: { input, dimensions, model: servedName } },
    ],
    reply(value) {
      const { data, usage } = v.parse(ModelEmbeddings, value);
      const ordered = data.toSorted((one, other) => one.index - other.index);
      v.parse(Indexes, ordered);
      return { vectors: ordered.map(({ embedding }) => embedding), promptTokens: usage?.prompt_tokens };
    },
  },
};

/**
 * LMI (DJL Serving) with vLLM inside: its bodies and chunks, but streams are JSON lines without `[DONE]`, so only a finish
 * reason ends one, and a failure within is a line with `error` and code 424. It fills in `model` itself. Serving
 * embeddings it takes `inputs`, without dimensions, and responds with bare vectors (djl_python/lmi_vllm, async_utils.py).
 */
export const lmi: Container = {
  chat: openAiChat,
  completion: openAiCompletion,
  embeddings: {
    batches: ({ input }, servedName) => [{ texts: input.length, body: { inputs: input, model: servedName } }],
    reply: bareVectors,
  },
};

/**
 * vLLM-Omni: OpenAI's requests for speech, and the bytes of the file as its reply. One container serves several APIs, and the
 * attribute chooses among them (AWS "vLLM-Omni SageMaker", `CustomAttributes`).
 */
export const omni: Container = {
  speech: {
    attributes: 'route=/v1/audio/speech',
    body: (request, servedName) => ({ model: servedName, ...request }),
  },
};
