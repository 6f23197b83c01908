import { positiveTopP } from '../openai-text.ts';

/** How TGI chooses tokens: `top_p` must be below 1, which means off, and a penalty of 0 is none. */
export function tgiSampling({ temperature, top_p, top_k, frequency_penalty }: Readonly<Record<string, unknown>>) {
  return {
    temperature,
    top_p: top_p === 1 ? undefined : positiveTopP(top_p),
    top_k,
    frequency_penalty: frequency_penalty === 0 ? undefined : frequency_penalty,
  };
}
