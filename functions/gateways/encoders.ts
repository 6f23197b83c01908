import * as v from 'valibot';
import { maxAnalysisItems } from '#contract/analysis/analysis.ts';
import { type EntityType, type Sentiment, sentiments } from '#contract/analysis/names.ts';
import { languageName } from '#contract/inference/languages.ts';
import { type AnalysisEncoders, type EncoderPlace, maxTeiTexts } from '#contract/platform/model-endpoints.ts';
import type { Encoder, EntitySpan, Findings, Label, TextAnalyzer } from '#domain/analysis/analysis.ts';
import { overallScores, type Part, partsOf } from '#domain/analysis/parts.ts';
import { byPlace } from '#domain/analysis/quotes.ts';
import type { ModelCall } from '#domain/inference/order.ts';
import { inOrder, withParts } from '#domain/inference/translation.ts';
import type { ModelRuntime } from './sagemaker/runtime.ts';
import { readReply } from './sagemaker/text-calls.ts';

export function encodersOf({ sentiment, language, entities }: AnalysisEncoders, settings: EncoderSettings): Encoder[] {
  const encoders: Encoder[] = [];
  if (sentiment) {
    const labelOf = (label: string): Sentiment | undefined =>
      (Object.hasOwn(sentiment.labels, label) ? sentiment.labels[label] : undefined) ??
      sentiments.find((name) => name === label.toLowerCase());
    const finding = (best: { label: Sentiment; score: number | null }) => ({ sentiment: best });
    const analyzer = sequenceClassification(settings, sentiment, { name: 'of the sentiment', labelOf, finding });
    encoders.push({ analysis: 'sentiment', analyzer });
  }
  if (language) {
    const labelOf = (label: string) => (languageName(label) === undefined ? undefined : label.toLowerCase());
    const finding = (best: { label: string; score: number | null }) => ({ language: best });
    const analyzer = sequenceClassification(settings, language, { name: 'of the language', labelOf, finding });
    encoders.push({ analysis: 'language', analyzer });
  }
  if (entities) {
    encoders.push({ analysis: 'entities', analyzer: tokenClassification(settings, entities, entities.labels) });
  }
  return encoders;
}

export interface EncoderSettings {
  readonly runtime: ModelRuntime;
  readonly deadlineMs: number;
}

/** Bytes of a part. They fit in the 512 tokens of an encoder, because n bytes of text have at most n tokens. */
const maxEncoderBytes = 500;

/** Maximum bytes of the response for one text: the entities of each word, or all labels of a model. */
const maxResponseBytes = 256 * 1024;

interface Batch<Reply> {
  /** Number of texts in the body. */
  readonly texts: number;
  readonly body: object;
  /** Throws ValiError for an invalid reply to the batch. */
  readonly parse: (value: unknown) => Reply;
}

/** Calls an encoder, partly concurrently. `name` appears in errors. */
const encoderCall = <Reply, Result>(
  { runtime, deadlineMs }: EncoderSettings,
  encoder: EncoderPlace,
  name: string,
  batches: () => readonly Batch<Reply>[],
  resultOf: (replies: readonly Reply[]) => Result,
): ModelCall<Promise<Result>> => ({
  prepare: () => undefined,
  send: (signal) =>
    withParts(signal, async (whole) => {
      const replies = await inOrder(batches(), ({ texts, body, parse }) => {
        const place = { kind: 'sagemaker' as const, ...encoder };
        const invoke = runtime.reply({ place, body, maxBytes: texts * maxResponseBytes });
        return readReply({ model: name, invoke, parse, deadlineMs, signal: whole });
      });
      return resultOf(replies);
    }),
});

const Score = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** Requires each label once. */
const Scores = v.pipe(
  v.array(v.object({ label: v.string(), score: Score })),
  v.minLength(1),
  v.check((scores) => new Set(scores.map(({ label }) => label)).size === scores.length, 'must have each label once'),
);

interface Classification<Name extends string> {
  /** Name of the model in errors. */
  readonly name: string;
  /** Returns our label for the model's label, or undefined for an unknown label. */
  readonly labelOf: (label: string) => Name | undefined;
  readonly finding: (best: Label<Name>) => Omit<Findings, 'unlocated'>;
}

/**
 * A sequence classifier in a TEI container. `{"inputs": [["a"], ["b"]]}` is a batch of two texts, whereas `["a", "b"]`
 * is a pair of sentences. The reply contains the scores of all labels for each text (router/src/http/types.rs,
 * PredictInput). The score of a text in several parts is the mean of the parts, weighted by length.
 */
function sequenceClassification<Name extends string>(
  settings: EncoderSettings,
  place: EncoderPlace,
  { name, labelOf, finding }: Classification<Name>,
): TextAnalyzer {
  const Labels = v.pipe(
    Scores,
    v.transform((scores) => scores.map(({ label, score }) => ({ label: labelOf(label), score }))),
    v.everyItem(isNamed, 'must be labels that are known'),
    v.transform((labels) => labels.filter(isNamed)),
  );
  function isNamed(label: { label: Name | undefined; score: number }): label is { label: Name; score: number } {
    return label.label !== undefined;
  }
  return {
    call({ text }) {
      const batches = () => {
        const parts = partsOf(text, maxEncoderBytes);
        return Array.from({ length: Math.ceil(parts.length / maxTeiTexts) }, (_, batch) => {
          const some = parts.slice(batch * maxTeiTexts, (batch + 1) * maxTeiTexts);
          const Reply = v.pipe(v.array(Labels), v.length(some.length));
          return {
            texts: some.length,
            body: { inputs: some.map((part) => [part.text]), truncate: false, raw_scores: false },
            parse: (value: unknown) =>
              v.parse(Reply, value).map((labels, index) => ({ value: labels, weight: some[index]?.text.length ?? 0 })),
          };
        });
      };
      return encoderCall(settings, place, name, batches, (replies) => {
        const [best] = overallScores(replies.flat());
        return { ...(best && finding(best)), unlocated: 0 };
      });
    },
  };
}

const Place = v.pipe(v.number(), v.integer(), v.minValue(0));
const Groups = v.pipe(
  v.array(
    v.object({
      entity_group: v.string(),
      score: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
      start: Place,
      end: Place,
    }),
  ),
  v.maxLength(maxEncoderBytes),
);

/** Labels of the data sets that train such models (CoNLL-2003, OntoNotes 5). */
const usual: Readonly<Record<string, EntityType>> = {
  PER: 'PERSON',
  PERSON: 'PERSON',
  ORG: 'ORGANIZATION',
  ORGANIZATION: 'ORGANIZATION',
  LOC: 'LOCATION',
  LOCATION: 'LOCATION',
  GPE: 'LOCATION',
  FAC: 'LOCATION',
  DATE: 'DATE',
  TIME: 'DATE',
  QUANTITY: 'QUANTITY',
  CARDINAL: 'QUANTITY',
  ORDINAL: 'QUANTITY',
  MONEY: 'QUANTITY',
  PERCENT: 'QUANTITY',
  EVENT: 'EVENT',
  PRODUCT: 'PRODUCT',
};

/**
 * A token classifier in a container of the Hugging Face toolkit, with one text per request. Offsets count code points
 * of the text (transformers, TokenClassificationPipeline). An offset outside the text makes the reply invalid.
 */
function tokenClassification(
  settings: EncoderSettings,
  place: EncoderPlace,
  labels: Readonly<Record<string, EntityType>>,
): TextAnalyzer {
  const typeOf = (group: string): EntityType =>
    (Object.hasOwn(labels, group) ? labels[group] : undefined) ?? usual[group.toUpperCase()] ?? 'OTHER';
  const parse =
    (part: Part) =>
    (value: unknown): EntitySpan[] => {
      const units = unitsAt(part.text);
      const Located = v.pipe(
        Groups,
        v.everyItem(({ start, end }) => start < end && end < units.length, 'must be places of the text'),
      );
      return v.parse(Located, value).map(({ entity_group, score, start, end }) => ({
        start: part.start + (units[start] ?? 0),
        end: part.start + (units[end] ?? 0),
        type: typeOf(entity_group),
        score,
      }));
    };
  return {
    call({ text }) {
      const batches = () =>
        partsOf(text, maxEncoderBytes).map((part) => ({
          texts: 1,
          body: { inputs: part.text, parameters: { aggregation_strategy: 'simple' } },
          parse: parse(part),
        }));
      return encoderCall(settings, place, 'of the entities', batches, (replies) => {
        const found = replies.flat();
        const entities = eachOnce(found.flatMap((entity) => trimmed(text, entity)));
        const unlocated = found.filter(({ start, end }) => text.slice(start, end).trim() === '').length;
        return { entities: entities.slice(0, maxAnalysisItems), unlocated };
      });
    },
  };
}

/** Trims whitespace, as for quotes. Returns no span if only whitespace remains. */
function trimmed(text: string, entity: EntitySpan): EntitySpan[] {
  const words = text.slice(entity.start, entity.end);
  const start = entity.start + words.length - words.trimStart().length;
  const end = entity.start + words.trimEnd().length;
  return start < end ? [{ ...entity, start, end }] : [];
}

/** In text order. Each span appears once per type, with its highest score. */
function eachOnce(entities: readonly EntitySpan[]): EntitySpan[] {
  const known = new Map<string, EntitySpan>();
  for (const entity of entities.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))) {
    const key = `${entity.type} ${entity.start} ${entity.end}`;
    if (!known.has(key)) known.set(key, entity);
  }
  return [...known.values()].toSorted(byPlace);
}

/** UTF-16 offsets of each code point, and of the end of the text. */
function unitsAt(text: string): number[] {
  const units = [0];
  let at = 0;
  for (const character of text) {
    at += character.length;
    units.push(at);
  }
  return units;
}
