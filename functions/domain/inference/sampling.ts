/** How a caller wants tokens to be chosen; what is null or absent is left to the model. */
export interface Sampling {
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly seed?: number | null | undefined;
}

/** How a container is to choose its tokens, the same for chat and completions; `stop` always as a list. */
export function modelSampling(request: Sampling) {
  const { temperature, top_p, top_k, frequency_penalty, presence_penalty, stop, seed } = request;
  return {
    temperature,
    top_p,
    top_k,
    frequency_penalty,
    presence_penalty,
    ...(stop?.length && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(typeof seed === 'number' && { seed }),
  };
}
