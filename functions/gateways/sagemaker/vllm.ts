import * as v from 'valibot';
import { ModelEmbeddings } from '#domain/embeddings.ts';
import type { Container } from './container.ts';
import { openAiChat, openAiCompletion } from './openai-text.ts';

/**
 * vLLM: OpenAI's bodies and replies, told apart by their shape, with `top_k` as one more field; streams are server-sent
 * events that end with `[DONE]`. Without `model` it answers with the one it serves, and a foreign name is a 404. It
 * applies `stop` itself and leaves the sequence out (vllm/entrypoints/sagemaker, openai/protocol.py).
 */
export const vllm: Container = {
  chat: openAiChat,
  completion: openAiCompletion,
  embeddings: {
    bodies: ({ input, dimensions }, servedName) => [{ input, dimensions, model: servedName }],
    reply(value) {
      const { data, usage } = v.parse(ModelEmbeddings, value);
      const ordered = data.toSorted((one, other) => one.index - other.index);
      return { vectors: ordered.map(({ embedding }) => embedding), promptTokens: usage?.prompt_tokens };
    },
  },
};
