import * as v from 'valibot';
import { decimal, integer, text } from '../shared/fields.ts';
import { isJsonObject } from '../shared/json.ts';
import { limits } from '../shared/limits.ts';
import { content, refusedUnless, withoutEffect } from './inference-fields.ts';

/*
 * Fields of OpenAI's and vLLM's clients beyond those that every model serves. A forwarded field returns a 400 if the
 * model's container does not have it (docs/inference.md#container-contracts).
 */

const isLogitBias = (value: Record<string, unknown>): boolean =>
  Object.keys(value).length <= limits.logitBiases &&
  Object.entries(value).every(
    ([token, bias]) => /^\d{1,7}$/.test(token) && typeof bias === 'number' && Math.abs(bias) <= 100,
  );

const jsonObject = v.custom<Record<string, unknown>>(isJsonObject, 'must be an object');

const sampling = {
  min_p: v.nullish(decimal(0, 1)),
  repetition_penalty: v.nullish(decimal(0.01, 2)),
  logit_bias: v.nullish(
    v.pipe(
      jsonObject,
      v.check(isLogitBias, `must have at most ${limits.logitBiases} token ids, each with a number from -100 to 100`),
    ),
  ),
};

export const forwardedByChat = {
  ...sampling,
  logprobs: v.nullish(v.boolean('must be true or false')),
  top_logprobs: v.nullish(integer(0, limits.topLogprobs)),
  reasoning_effort: v.nullish(
    v.picklist(
      ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
      'must be none, minimal, low, medium, high or xhigh',
    ),
  ),
};

export const forwardedByCompletion = { ...sampling, logprobs: v.nullish(integer(0, 5)) };

export type Forwarded = Partial<Record<keyof typeof forwardedByChat, unknown>>;

/** Fields that describe the request or its caller. */
export const descriptions = {
  user: v.nullish(withoutEffect(content)),
  metadata: v.nullish(withoutEffect(jsonObject)),
  store: v.nullish(withoutEffect(v.boolean('must be true or false'))),
  service_tier: v.nullish(withoutEffect(text(64))),
  safety_identifier: v.nullish(withoutEffect(content)),
  prompt_cache_key: v.nullish(withoutEffect(content)),
  prompt_cache_retention: v.nullish(withoutEffect(text(64))),
  prompt_cache_options: v.nullish(withoutEffect(jsonObject)),
  prediction: v.nullish(withoutEffect(jsonObject)),
};

const unserved = v.optional(refusedUnless('`null`', v.null('is not supported')));

/** vLLM's options for the form of the output and for its end. Use `response_format`, `stop` and `max_tokens`. */
export const unservedOptions = {
  min_tokens: unserved,
  stop_token_ids: unserved,
  ignore_eos: unserved,
  guided_json: unserved,
  guided_regex: unserved,
  guided_choice: unserved,
  guided_grammar: unserved,
  structured_outputs: unserved,
};

export const unservedByChat = {
  ...unservedOptions,
  audio: unserved,
  moderation: unserved,
  modalities: v.nullish(
    refusedUnless('`["text"]`', v.strictTuple([v.literal('text')], 'must be ["text"]; models only generate text')),
  ),
  web_search_options: unserved,
  verbosity: v.nullish(v.literal('medium', 'must be medium; request the length in a message')),
  chat_template: unserved,
  chat_template_kwargs: unserved,
};

/** Log probabilities of the tokens of a chat, as OpenAI's clients read them. */
const tokenLogprob = {
  token: v.string(),
  logprob: v.number(),
  bytes: v.nullable(v.array(v.number())),
};
export const ChatLogprobs = v.object({
  content: v.nullable(v.array(v.object({ ...tokenLogprob, top_logprobs: v.array(v.object(tokenLogprob)) }))),
  refusal: v.null(),
});
export type ChatLogprobs = v.InferOutput<typeof ChatLogprobs>;

/** Log probabilities of the tokens of a completion. */
export const CompletionLogprobs = v.object({
  tokens: v.array(v.string()),
  token_logprobs: v.array(v.nullable(v.number())),
  top_logprobs: v.nullable(v.array(v.nullable(v.record(v.string(), v.number())))),
  text_offset: v.array(v.number()),
});
export type CompletionLogprobs = v.InferOutput<typeof CompletionLogprobs>;

/** Number of tokens in OpenAI's cl100k_base. Special tokens have higher ids. */
const vocabularySize = 100_256;

const isTokenId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < vocabularySize;

/** A list may have millions of ids, so the checks are plain loops instead of schemas of each item. */
export const isTokenIds = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTokenId);

export const isListOfTokenIds = (value: unknown): value is readonly (readonly number[])[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTokenIds);

const rule = `must have token ids from 0 to ${vocabularySize - 1}, in non-empty lists`;

/** A text as token ids of cl100k_base. */
export const TokenIds = v.custom<readonly number[]>(isTokenIds, rule);

/** Texts as lists of token ids. */
export const TokenIdLists = v.pipe(
  v.custom<readonly (readonly number[])[]>(isListOfTokenIds, rule),
  v.maxLength(limits.openAiEmbeddingTexts, `must have at most ${limits.openAiEmbeddingTexts} texts`),
);
