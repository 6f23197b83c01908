import { bareVectors } from './bare-vectors.ts';
import type { Container } from './container.ts';
import { openAiChat, openAiCompletion } from './openai-text.ts';

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
