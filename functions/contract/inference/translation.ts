import * as v from 'valibot';
import { text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import { languageCode as language } from './languages.ts';

/** Maximum words per call (docs/guides/plans-and-limits.md#limits). `domain/inference/translation.ts` counts them. */
export const maxTranslationWords = 5000;

/**
 * Body of POST /ai/translate. Codes may be in either case; the response repeats them as sent. The body limit also
 * limits the text.
 */
export const TranslationRequest = v.pipe(
  v.object(
    { text: text(limits.bodyBytes), sourceLanguage: language, targetLanguage: language },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ sourceLanguage, targetLanguage }) => sourceLanguage.toLowerCase() !== targetLanguage.toLowerCase(),
      'must differ from sourceLanguage',
    ),
    ['targetLanguage'],
  ),
);
export type TranslationRequest = v.InferOutput<typeof TranslationRequest>;

/** `words` counts the words of the request's text, which determine `credits`. */
export const Translation = v.object({
  translatedText: v.string(),
  sourceLanguage: v.string(),
  targetLanguage: v.string(),
  words: whole,
  credits: whole,
});
export type Translation = v.InferOutput<typeof Translation>;
