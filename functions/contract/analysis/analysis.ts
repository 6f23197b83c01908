import * as v from 'valibot';
import { languageCode } from '../inference/languages.ts';
import { isVisible, text, whole } from '../shared/fields.ts';
import { analysisNames, entityTypes, piiTypes, sentiments } from './names.ts';

/** Maximum code points of a text to analyze. */
export const maxAnalysisCharacters = 5000;

/** Limits on `labels`. */
export const labelLimits = { min: 2, max: 20, characters: 64 } as const;

/**
 * Maximum items of each list in a response; later ones in the text are dropped. A text that repeats a word can have
 * more.
 */
export const maxAnalysisItems = 1000;

const visible = (maxCharacters: number) =>
  v.pipe(text(maxCharacters), v.check(isVisible, 'must have a visible character'));

const isEachOnce = (list: readonly string[]): boolean => new Set(list).size === list.length;

const Analyses = v.pipe(
  v.array(v.picklist(analysisNames, `must be one of ${analysisNames.join(', ')}`), 'must be a list'),
  v.minLength(1, 'must name at least one analysis'),
  v.check((list) => isEachOnce(list), 'must not have duplicates'),
  v.metadata({ uniqueItems: true, minItems: 1, maxItems: analysisNames.length }),
);

const { min, max, characters } = labelLimits;
const Labels = v.pipe(
  v.array(visible(characters), 'must be a list'),
  v.minLength(min, `must have at least ${min} labels`),
  v.maxLength(max, `must have at most ${max} labels`),
  v.check((list) => isEachOnce(list.map((label) => label.trim().normalize('NFC'))), 'must not have duplicates'),
  v.metadata({
    uniqueItems: true,
    description: 'Labels of the analysis `categories`: required with it, refused without it.',
  }),
);

/** Body of POST /ai/analyze. `language` is the language of the text, if the caller knows it. */
export const AnalysisRequest = v.pipe(
  v.object(
    {
      text: visible(maxAnalysisCharacters),
      analyses: Analyses,
      labels: v.optional(Labels),
      language: v.optional(languageCode),
      offsetUnit: v.optional(v.picklist(['code_point', 'utf16'], 'must be code_point or utf16'), 'code_point'),
    },
    'must be a JSON object',
  ),
  v.forward(
    v.check(
      ({ analyses, labels }) => labels !== undefined || !analyses.includes('categories'),
      'is required with the analysis categories',
    ),
    ['labels'],
  ),
  v.forward(
    v.check(
      ({ analyses, labels }) => labels === undefined || analyses.includes('categories'),
      'must be absent unless analyses includes categories',
    ),
    ['labels'],
  ),
);
export type AnalysisRequest = v.InferOutput<typeof AnalysisRequest>;

/** From 0 to 1. Only encoders return it; chat models do not. */
const score = v.nullable(v.number());
const span = { start: whole, end: whole };

/**
 * Contains only the requested analyses. `start` and `end` count in `offsetUnit`. `unlocated`: number of the model's
 * quotes that do not occur in the text.
 */
export const Analysis = v.object({
  language: v.optional(v.object({ code: v.string(), score })),
  sentiment: v.optional(v.object({ label: v.picklist(sentiments), score })),
  entities: v.optional(v.array(v.object({ text: v.string(), type: v.picklist(entityTypes), ...span, score }))),
  keyPhrases: v.optional(v.array(v.object({ text: v.string(), ...span }))),
  pii: v.optional(v.array(v.object({ type: v.picklist(piiTypes), ...span, source: v.picklist(['rule', 'model']) }))),
  redactedText: v.optional(v.string()),
  categories: v.optional(v.array(v.object({ label: v.string(), score }))),
  unlocated: whole,
  model: v.string(),
  credits: whole,
});
export type Analysis = v.InferOutput<typeof Analysis>;
