import type { OpenAiCompletionRequest } from '#contract/inference/openai/openai.ts';
import type { Completion } from '#contract/inference/requests.ts';
import type { About } from '../chat/chat-response.ts';
import { totalled } from '../streams/model-stream.ts';
import { type CompletionFormat, specifiedCompletion } from './completion.ts';

/** A completion as OpenAI's clients read it: the same object, and streams whose usage comes after the end, if requested. */
export function openAiCompletion(request: OpenAiCompletionRequest): CompletionFormat<Completion> {
  const includesUsage = request.stream_options?.include_usage ?? false;

  function chunk({ id, created, model }: About, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'text_completion', created, model, choices, ...(includesUsage && { usage }) };
  }
  const part = (about: About, text: string, finish_reason: string | null) =>
    chunk(about, [{ text, index: 0, logprobs: null, finish_reason }]);

  return {
    body: (reply, about) => specifiedCompletion.body(reply, about),
    textChunk: (text, about) => part(about, text, null),
    endChunks: ({ reason, usage }, about) => [
      part(about, '', reason),
      ...(includesUsage ? [chunk(about, [], totalled(usage))] : []),
    ],
  };
}
