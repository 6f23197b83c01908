import * as v from 'valibot';
import { ModelEmbeddings } from '#domain/inference/embeddings.ts';
import type { Container } from './container.ts';
import { openAiChat, openAiCompletion } from './openai-text.ts';

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
