import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import { samplingRules } from '#contract/inference/inference-fields.ts';
import { callableModels, firstModelFor } from '#contract/inference/models.ts';
import { integer } from '#contract/shared/fields.ts';
import { numberError } from '../../../api/form-errors.ts';

export const textModels = callableModels().filter(
  ({ capabilities }) => capabilities.includes('chat') || capabilities.includes('completion'),
);

export const modelId = v.picklist(textModels.map(({ id }) => id));
const typedNumber = v.union([v.number(), v.string()]);

/** Sampling parameters as stored in the browser. Numbers are as typed, and empty means the service's default. */
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
  model: firstModelFor('chat'),
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

export const samplingErrors = ({ maxTokens, topK }: Sampling) => ({
  maxTokens: numberError(t`Maximum tokens`, maxTokensRule, maxTokens),
  topK: numberError(t`Top k`, topKRule, topK),
});

/** False while a field is invalid, so that the request matches the fields. */
export const isSendable = (sampling: Sampling): boolean =>
  Object.values(samplingErrors(sampling)).every((error) => error === undefined);

/** The parameters as fields of a request body. Defaults and invalid values are omitted. */
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
