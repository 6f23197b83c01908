import type { OpenAiCompletion, OpenAiCompletionRequest } from '#contract/inference/openai.ts';
import type { ResponseMetadata } from './chat.ts';
import type { Bodies } from './choices.ts';
import type { CompletionFormat } from './completion.ts';
import { completionLogprobs } from './logprobs.ts';
import { detailed, type ModelUsage } from './model-stream.ts';

/** A choice of an OpenAI response. The usage of a stream follows the end of its last choice, if requested. */
export function openAiCompletion(request: OpenAiCompletionRequest, index = 0): CompletionFormat<OpenAiCompletion> {
  const includesUsage = request.stream_options?.include_usage ?? false;
  const isOnly = request.n === 1;

  function chunk({ id, created, model }: ResponseMetadata, choices: readonly object[], usage: object | null = null) {
    return { id, object: 'text_completion', created, model, choices, ...(includesUsage && { usage }) };
  }
  const logprobsOf = (given: unknown) => (typeof request.logprobs === 'number' ? completionLogprobs(given) : null);
  const part = (about: ResponseMetadata, text: string, given?: unknown, finish_reason: string | null = null) =>
    chunk(about, [{ text, index, logprobs: logprobsOf(given), finish_reason }]);
  const totalChunks = (usage: ModelUsage, about: ResponseMetadata) =>
    includesUsage ? [chunk(about, [], detailed(usage))] : [];

  return {
    body: ({ text, logprobs, reason, usage }, { id, created, model }, prompt) => ({
      id,
      object: 'text_completion',
      created,
      model,
      choices: [
        {
          text: request.echo ? prompt + text : text,
          index,
          logprobs: logprobsOf(logprobs),
          finish_reason: reason,
        },
      ],
      usage: detailed(usage),
    }),
    ...(request.echo && { promptChunk: (prompt: string, about: ResponseMetadata) => part(about, prompt) }),
    textChunk: (text, about, logprobs) => part(about, text, logprobs),
    endChunks: ({ reason, usage }, about) => [
      part(about, '', null, reason),
      ...(isOnly ? totalChunks(usage, about) : []),
    ],
    totalChunks,
  };
}

/** One response with the choices of all. */
export function joinCompletions(bodies: Bodies<OpenAiCompletion>, usage: ModelUsage): OpenAiCompletion {
  return { ...bodies[0], choices: bodies.flatMap(({ choices }) => choices), usage: detailed(usage) };
}
