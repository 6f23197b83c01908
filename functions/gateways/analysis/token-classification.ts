import * as v from 'valibot';
import { maxAnalysisItems } from '#contract/analysis/analysis.ts';
import { type EntityType } from '#contract/analysis/names.ts';
import type { EncoderPlace } from '#contract/platform/analysis-encoders.ts';
import { type Part, partsOf } from '#domain/analysis/parts/parts.ts';
import { byPlace } from '#domain/analysis/quotes/span.ts';
import type { EntitySpan, TextAnalyzer } from '#domain/analysis/text-analyzer.ts';
import { type EncoderSettings, encoderCall, maxEncoderBytes } from './encoder-call.ts';

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

/** Names of the data sets that such models are trained with (CoNLL-2003, OntoNotes 5). */
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
 * A model that classifies tokens in a container of the Hugging Face toolkit, one text a request; its places count in code points of that text
 * (transformers, TokenClassificationPipeline). A place that the text does not have makes the reply invalid.
 */
export function tokenClassification(
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

/** Without the white space around it, as a quote is; nothing where it is that alone. */
function trimmed(text: string, entity: EntitySpan): EntitySpan[] {
  const words = text.slice(entity.start, entity.end);
  const start = entity.start + words.length - words.trimStart().length;
  const end = entity.start + words.trimEnd().length;
  return start < end ? [{ ...entity, start, end }] : [];
}

/** In the order of the text, each place of a type once, with its highest score. */
function eachOnce(entities: readonly EntitySpan[]): EntitySpan[] {
  const known = new Map<string, EntitySpan>();
  for (const entity of entities.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))) {
    const key = `${entity.type} ${entity.start} ${entity.end}`;
    if (!known.has(key)) known.set(key, entity);
  }
  return [...known.values()].toSorted(byPlace);
}

/** Where each code point begins in UTF-16 units, and where the text ends. */
function unitsAt(text: string): number[] {
  const units = [0];
  let at = 0;
  for (const character of text) {
    at += character.length;
    units.push(at);
  }
  return units;
}
