import * as v from 'valibot';
import { entityTypes, sentiments } from '../analysis/names.ts';
import { EndpointName } from './model-endpoints.ts';

const place = { endpoint: EndpointName, component: v.exactOptional(EndpointName) };
const labelsTo = <const Names extends readonly string[]>(names: Names) =>
  v.optional(v.record(v.string(), v.picklist(names, `must be one of ${names.join(', ')}`)), {});

/**
 * Encoders that a stage has for parts of an analysis, each in an endpoint that exists: `sentiment` and `language` classify
 * sequences in a TEI container, `entities` classifies tokens in one of the Hugging Face toolkit. `labels` names what the model
 * calls otherwise (`{ "LABEL_0": "negative" }`); a language is what the model's own label names as a code of ISO 639-1.
 */
export const AnalysisEncoders = v.strictObject({
  sentiment: v.exactOptional(v.strictObject({ ...place, labels: labelsTo(sentiments) })),
  language: v.exactOptional(v.strictObject(place)),
  entities: v.exactOptional(v.strictObject({ ...place, labels: labelsTo(entityTypes) })),
});
export type AnalysisEncoders = v.InferOutput<typeof AnalysisEncoders>;

/** Where an encoder runs. */
export interface EncoderPlace {
  readonly endpoint: string;
  readonly component?: string | undefined;
}

export const encoderPlaces = (encoders: AnalysisEncoders): EncoderPlace[] =>
  [encoders.sentiment, encoders.language, encoders.entities].filter((encoder) => encoder !== undefined);
