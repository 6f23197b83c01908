import * as v from 'valibot';
import type { Forwarded } from '#contract/inference/openai-fields.ts';
import { maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import { limits } from '#contract/shared/limits.ts';
import { ModelChatReply, type ModelChatRequest } from '#domain/inference/chat.ts';
import { ModelCompletionReply, type ModelCompletionRequest } from '#domain/inference/completion.ts';
import { ModelEmbeddings, Vector } from '#domain/inference/embeddings.ts';
import { ChatChunk, CompletionChunk } from '#domain/inference/model-stream.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import {
  type BodyOptions,
  type Container,
  refuseOptions,
  textBatches,
  type TextDialect,
  type Vectors,
} from './container.ts';

/**
 * Containers reject a `top_p` of 0, which callers may send (docs/specification.md#post-chatcompletions: 0.0 to 1.0). It
 * means the most probable token.
 */
const minTopP = 1e-6;

export const positiveTopP = (topP: unknown): unknown => (topP === 0 ? minTopP : topP);

/** Options that TGI and Bedrock lack or interpret differently. */
export const vllmOptions: Readonly<Record<keyof Forwarded, true>> = {
  min_p: true,
  repetition_penalty: true,
  logit_bias: true,
  logprobs: true,
  top_logprobs: true,
  reasoning_effort: true,
};

/** OpenAI's body, which our requests already use. A stream ends with its usage. */
function body(request: ModelChatRequest | ModelCompletionRequest, { stream, servedName }: BodyOptions): object {
  return {
    ...request,
    top_p: positiveTopP(request['top_p']),
    model: servedName,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
}

/** `messages` make it a chat. */
const openAiChat: TextDialect<ModelChatRequest, ModelChatReply> = {
  body,
  reply: (value) => v.parse(ModelChatReply, value),
  chunk: (event) => v.parse(ChatChunk, event),
};

/**
 * `prompt` makes it a completion. Each chunk of a stream reports the usage so far, so that an interrupted stream is
 * charged like a whole reply. This is vLLM's own option (openai/protocol.py, StreamOptions).
 */
const openAiCompletion: TextDialect<ModelCompletionRequest, ModelCompletionReply> = {
  body: (request, options) => ({
    ...body(request, options),
    ...(options.stream && { stream_options: { include_usage: true, continuous_usage_stats: true } }),
  }),
  reply: (value) => v.parse(ModelCompletionReply, value),
  chunk: (event) => v.parse(CompletionChunk, event),
};

const Indexes = v.custom<ModelEmbeddings['data']>(
  (data) => Array.isArray(data) && data.every(({ index }, position) => index === position),
);

/** For Bedrock, whose runtime translates OpenAI's format. It omits the effort, which most coding clients set. */
export const bedrockChat: Container = {
  chat: {
    ...openAiChat,
    body(request, bodyOptions) {
      const { reasoning_effort: _, ...options } = vllmOptions;
      refuseOptions(request, options);
      const { response_format: format } = request;
      if (typeof format === 'object' && format !== null && Reflect.get(format, 'type') === 'json_object') {
        const detail = 'response_format must be json_schema for this model, or absent.';
        throw new ServiceError('INVALID_FORMAT', detail, { field: { path: 'response_format', isMissing: false } });
      }
      return body(request, bodyOptions);
    },
  },
};

/**
 * vLLM: OpenAI's requests and replies, distinguished by their fields, plus `top_k`. Streams are server-sent events that
 * end with `[DONE]`. Without `model` it uses its only model; an unknown name returns 404. It applies `stop` itself and
 * omits the sequence (vllm/entrypoints/sagemaker, openai/protocol.py).
 */
export const vllm: Container = {
  chat: openAiChat,
  completion: openAiCompletion,
  embeddings: {
    batches: (request, servedName) =>
      textBatches(request, limits.embeddingTexts, (input) => ({
        input,
        dimensions: request.dimensions,
        model: servedName,
      })),
    reply(value) {
      const { data, usage } = v.parse(ModelEmbeddings, value);
      const ordered = data.toSorted((one, other) => one.index - other.index);
      v.parse(Indexes, ordered);
      return { vectors: ordered.map(({ embedding }) => embedding), promptTokens: usage?.prompt_tokens };
    },
  },
};

const BareVectors = v.array(Vector);

/** An array of vectors in the order of the texts. The token count is ours. */
const bareVectors = (value: unknown): Vectors => ({ vectors: v.parse(BareVectors, value) });

/**
 * LMI (DJL Serving) with vLLM: the same requests and chunks, but streams are JSON lines without `[DONE]`, so only a
 * finish reason marks the end. A failure in a stream is a line with `error` and code 424. LMI fills in `model` itself.
 * For embeddings it accepts `inputs`, without dimensions, and returns bare vectors (djl_python/lmi_vllm,
 * async_utils.py).
 */
export const lmi: Container = {
  chat: openAiChat,
  completion: openAiCompletion,
  embeddings: {
    batches: (request, servedName) =>
      textBatches(request, limits.embeddingTexts, (inputs) => ({ inputs, model: servedName })),
    reply: bareVectors,
  },
};

/**
 * vLLM-Omni: OpenAI's speech requests; the reply is the audio file. The container has several APIs, selected by an
 * attribute (AWS "vLLM-Omni SageMaker", `CustomAttributes`).
 */
export const omni: Container = {
  speech: {
    attributes: 'route=/v1/audio/speech',
    body: (request, servedName) => ({ model: servedName, ...request }),
  },
};

/**
 * TEI: `inputs` in batches, bare vectors in reply (router/src/http/server.rs). An overlong text is an error unless
 * truncation is enabled. Versions without `dimensions` ignore the field.
 */
export const tei: Container = {
  embeddings: {
    batches: (request) =>
      textBatches(request, maxTeiTexts, (inputs) => ({ inputs, truncate: false, dimensions: request.dimensions })),
    reply: bareVectors,
  },
};
