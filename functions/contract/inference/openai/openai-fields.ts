import * as v from 'valibot';
import { integer, isJsonObject } from '../../shared/fields.ts';
import { samplingDefaults, samplingRules } from '../inference-fields.ts';

const { temperature, top_p, top_k, penalty, stop, stream } = samplingRules;

/** No field of it must be there, so Valibot alone would take a list for it. */
const streamOptions = v.intersect([
  v.custom<Record<string, unknown>>(isJsonObject, 'must be an object'),
  v.object({ include_usage: v.nullish(v.boolean('must be true or false'), false) }),
]);

/** What steers the choice of tokens and the stream, as OpenAI's clients send it: null is as good as absent. */
export const nullableSampling = {
  temperature: v.nullish(temperature, samplingDefaults.temperature),
  top_p: v.nullish(top_p, samplingDefaults.top_p),
  top_k: v.nullish(top_k, samplingDefaults.top_k),
  frequency_penalty: v.nullish(penalty, samplingDefaults.penalty),
  presence_penalty: v.nullish(penalty, samplingDefaults.penalty),
  stop: v.nullish(stop),
  seed: v.nullish(integer(0)),
  stream: v.nullish(stream, false),
  stream_options: v.nullish(streamOptions),
};

/** One choice for each request. */
export const single = { n: v.nullish(v.literal(1, 'must be 1: a response has one choice')) };
