import * as v from 'valibot';
import { samplingRules } from '#contract/inference/inference-fields.ts';
import { models } from '#contract/inference/models.ts';
import { integer } from '#contract/shared/fields.ts';
import { numberError } from '../../../api/forms/form-errors.ts';

export const textModels = models.filter(({ capabilities }) => capabilities.includes('chat'));

export const modelId = v.picklist(textModels.map(({ id }) => id));
const typedNumber = v.union([v.number(), v.string()]);

/** Sampling parameters of a text model, as they are kept in the browser: numbers as typed, where empty means the service's default. */
export const Sampling = v.object({
  model: modelId,
  stream: v.boolean(),
  maxTokens: typedNumber,
  temperature: v.number(),
  topP: v.number(),
  topK: typedNumber,
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

const maxTokensRule = integer(1);
const topKRule = samplingRules.top_k;

/** What is wrong with what was typed, by field. */
export const samplingErrors = ({ maxTokens, topK }: Sampling) => ({
  maxTokens: numberError('Maximum tokens', maxTokensRule, maxTokens),
  topK: numberError('Top k', topKRule, topK),
});

/** False while something is wrong with a field, so that nothing else than what is shown is sent. */
export const isSendable = (sampling: Sampling): boolean =>
  Object.values(samplingErrors(sampling)).every((error) => error === undefined);

/** The fields of a request's body; what is the default, or wrong, is left out, so that the request shown is short. */
export function samplingBody(sampling: Sampling) {
  const { model, stream, maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, stop } = sampling;
  return {
    model,
    ...(v.is(maxTokensRule, maxTokens) && { max_tokens: maxTokens }),
    ...(temperature !== 1 && { temperature }),
    ...(topP !== 1 && { top_p: topP }),
    ...(v.is(topKRule, topK) && { top_k: topK }),
    ...(frequencyPenalty !== 0 && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== 0 && { presence_penalty: presencePenalty }),
    ...(stop.length > 0 && { stop: [...stop] }),
    ...(stream && { stream }),
  };
}
