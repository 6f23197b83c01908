import type { CompletionRequest } from '#contract/inference.ts';

type Sampling = Pick<
  CompletionRequest,
  'temperature' | 'top_p' | 'top_k' | 'frequency_penalty' | 'presence_penalty' | 'stop'
>;

/** How a container is to choose its tokens, the same for chat and completions; `stop` always as a list. */
export function modelSampling(request: Sampling) {
  const { temperature, top_p, top_k, frequency_penalty, presence_penalty, stop } = request;
  return {
    temperature,
    top_p,
    top_k,
    frequency_penalty,
    presence_penalty,
    ...(stop?.length && { stop: typeof stop === 'string' ? [stop] : stop }),
  };
}
