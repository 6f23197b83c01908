import * as v from 'valibot';
import { text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import { languageCode as language } from './languages.ts';

/** Words that one call translates at most (docs/guides/plans-and-limits.md#limits; how they are counted: `domain/inference/words.ts`). */
export const maxTranslationWords = 5000;

/** Body of POST /ai/translate. Codes may be of either case and are echoed as sent; the body's size bounds the text. */
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

/** `words` counted in the text that was sent, `credits` charged for them. */
export const Translation = v.object({
  translatedText: v.string(),
  sourceLanguage: v.string(),
  targetLanguage: v.string(),
  words: whole,
  credits: whole,
});
export type Translation = v.InferOutput<typeof Translation>;
