import { models } from '#contract/inference/models.ts';

/** Sampling parameters of a text model; an empty number means the service's default. */
export interface Sampling {
  readonly model: string;
  readonly stream: boolean;
  readonly maxTokens: number | '';
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number | '';
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly stop: readonly string[];
}

export const defaultSampling: Sampling = {
  model: 'svc-1',
  stream: true,
  maxTokens: '',
  temperature: 1,
  topP: 1,
  topK: '',
  frequencyPenalty: 0,
  presencePenalty: 0,
  stop: [],
};

export const textModels = models.filter(({ capabilities }) => capabilities.includes('chat'));

/** The fields of a request's body; what is the default is left out, so that the request shown is short. */
export function samplingBody(sampling: Sampling) {
  const { model, stream, maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, stop } = sampling;
  return {
    model,
    ...(maxTokens !== '' && { max_tokens: maxTokens }),
    ...(temperature !== 1 && { temperature }),
    ...(topP !== 1 && { top_p: topP }),
    ...(topK !== '' && { top_k: topK }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(stop.length > 0 && { stop: [...stop] }),
    ...(stream && { stream }),
  };
}
