import * as v from 'valibot';
import { models } from '#contract/inference/models.ts';

export const textModels = models.filter(({ capabilities }) => capabilities.includes('chat'));

export const modelId = v.picklist(textModels.map(({ id }) => id));
const optionalNumber = v.union([v.number(), v.literal('')]);

/** Sampling parameters of a text model, as they are kept in the browser; an empty number means the service's default. */
export const Sampling = v.object({
  model: modelId,
  stream: v.boolean(),
  maxTokens: optionalNumber,
  temperature: v.number(),
  topP: v.number(),
  topK: optionalNumber,
  frequencyPenalty: v.number(),
  presencePenalty: v.number(),
  stop: v.pipe(v.array(v.string()), v.readonly()),
});
export type Sampling = Readonly<v.InferOutput<typeof Sampling>>;

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
