import * as v from 'valibot';
import { limits } from '../shared/limits.ts';

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
