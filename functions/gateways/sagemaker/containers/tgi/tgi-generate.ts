import * as v from 'valibot';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion/completion.ts';
import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { cleanText } from '#domain/shared/text/clean-text.ts';
import type { TextDialect } from '../container.ts';
import { tgiSampling } from './tgi-sampling.ts';

/** Treats an invalid count as missing. */
const Count = v.fallback(v.nullish(v.number()), null);

const Generated = v.object({
  generated_text: v.pipe(v.string(), v.transform(cleanText)),
  details: v.nullish(
    v.object({
      finish_reason: v.string(),
      generated_tokens: Count,
      prefill: v.fallback(v.optional(v.array(v.unknown()), []), []),
    }),
  ),
});

/** In a list, as the compatible route has it, or bare. */
const GeneratedReply = v.union([
  v.pipe(
    v.tuple([Generated]),
    v.transform(([only]) => only),
  ),
  Generated,
]);

const GeneratedToken = v.object({
  token: v.object({ text: v.string(), special: v.optional(v.boolean(), false) }),
  generated_text: v.nullish(v.string()),
  details: v.nullish(
    v.object({
      finish_reason: v.string(),
      generated_tokens: Count,
      input_length: Count,
    }),
  ),
});

/**
 * TGI's own form of text generation: `inputs` and `parameters`. A temperature of 0 means not to sample at all. The details
 * of a whole reply list the tokens of the prompt, as TGI itself requests them to count the usage of its OpenAI routes.
 */
export const tgiGenerate: TextDialect<ModelCompletionRequest, ModelCompletionReply> = {
  body({ prompt, max_tokens, stop, seed, ...rest }, { stream }) {
    const { frequency_penalty, ...sampling } = tgiSampling(rest);
    const chosen = sampling.temperature === 0 ? { do_sample: false } : { do_sample: true, ...sampling };
    const parameters = { max_new_tokens: max_tokens, ...chosen, frequency_penalty, stop, seed };
    const options = { return_full_text: false, details: true, decoder_input_details: !stream };
    return { inputs: prompt, parameters: { ...parameters, ...options }, stream };
  },
  reply(value) {
    const { generated_text: text, details } = v.parse(GeneratedReply, value);
    const usage = usageOf(details?.prefill.length || undefined, details?.generated_tokens);
    return { choices: [{ text, finish_reason: details?.finish_reason }], usage };
  },
  /** Only the last token comes with the whole text. */
  chunk(event): ModelChunk {
    const { token, generated_text, details } = v.parse(GeneratedToken, event);
    const reason = details?.finish_reason ?? (typeof generated_text === 'string' ? 'stop' : null);
    return {
      choices: [{ text: token.special ? '' : token.text, finish_reason: reason }],
      usage: usageOf(details?.input_length, details?.generated_tokens),
    };
  },
};

function usageOf(prompt_tokens: number | null | undefined, completion_tokens: number | null | undefined) {
  const isKnown = typeof prompt_tokens === 'number' && typeof completion_tokens === 'number';
  return isKnown ? { prompt_tokens, completion_tokens } : undefined;
}
