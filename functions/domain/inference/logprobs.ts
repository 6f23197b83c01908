import * as v from 'valibot';
import type { ChatLogprobs, CompletionLogprobs } from '#contract/inference/openai-fields.ts';
import { limits } from '#contract/shared/limits.ts';
import { cleanText } from '../shared/text.ts';

const Token = v.pipe(v.string(), v.transform(cleanText));
const Logprob = v.pipe(v.number(), v.finite());
const Bytes = v.nullish(v.array(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))), null);

const entries = { token: Token, logprob: Logprob, bytes: Bytes };

const OfChat = v.object({
  content: v.nullable(
    v.array(
      v.object({
        ...entries,
        top_logprobs: v.nullish(v.pipe(v.array(v.object(entries)), v.maxLength(limits.topLogprobs)), []),
      }),
    ),
  ),
  refusal: v.optional(v.null(), null),
});

const OfCompletion = v.object({
  tokens: v.array(Token),
  token_logprobs: v.array(v.nullable(Logprob)),
  top_logprobs: v.nullish(v.array(v.nullable(v.record(Token, Logprob))), null),
  text_offset: v.nullish(v.array(v.number()), []),
});

/** The model's log probabilities. Null if it reports none or invalid ones. */
export const chatLogprobs = (given: unknown): ChatLogprobs | null => readable(OfChat, given);

export const completionLogprobs = (given: unknown): CompletionLogprobs | null => readable(OfCompletion, given);

function readable<const S extends v.GenericSchema>(schema: S, given: unknown): v.InferOutput<S> | null {
  const parsed = v.safeParse(schema, given);
  return parsed.success ? parsed.output : null;
}
