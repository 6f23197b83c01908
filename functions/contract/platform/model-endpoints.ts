import * as v from 'valibot';
import { entityTypes, sentiments } from '../analysis/names.ts';
import { type Model, models } from '../inference/models.ts';
import { type Capability, containerFamilies, type ContainerFamily, type OpenAiEndpoint } from '../offer/offer.ts';

/** Location of a model: the SageMaker endpoint, its container family, and the model's name in the container. */
export interface ModelEndpoint {
  readonly endpoint: string;
  readonly family: ContainerFamily;
  /** Sent as `model` to containers that require a name. Other containers serve a single model. */
  readonly servedName?: string | undefined;
  /** Inference component, for endpoints that use them. */
  readonly component?: string | undefined;
  /** Server that is called instead of SageMaker. */
  readonly server?: OpenAiEndpoint | undefined;
}

/** Texts per request to TEI: its default `--max-client-batch-size`, which hosted containers also set. */
export const maxTeiTexts = 32;

const served: Readonly<Record<ContainerFamily, readonly Capability[]>> = {
  vllm: ['chat', 'completion', 'embeddings'],
  lmi: ['chat', 'completion', 'embeddings'],
  tgi: ['chat', 'completion'],
  tei: ['embeddings'],
  omni: ['speech'],
  whisperx: ['transcription'],
};

/** Pattern of SageMaker endpoint names (CreateEndpoint, EndpointName). */
const EndpointName = v.pipe(v.string(), v.regex(/^[a-z0-9](-*[a-z0-9]){0,62}$/i, 'must be the name of an endpoint'));

const Differing = v.union(
  [
    v.pipe(
      EndpointName,
      v.transform((endpoint) => ({ endpoint })),
    ),
    v.strictObject({
      endpoint: v.exactOptional(EndpointName),
      family: v.exactOptional(v.picklist(containerFamilies)),
      servedName: v.exactOptional(v.pipe(v.string(), v.minLength(1))),
      component: v.exactOptional(EndpointName),
    }),
  ],
  `must be the name of an endpoint, or an object of endpoint, family (${containerFamilies.join(', ')}), servedName and component`,
);

/**
 * Parses a stage's model settings that differ from the catalogue, by model id: an endpoint's name, or `{ "endpoint": …,
 * "family": …, "servedName": …, "component": … }` with optional fields. Returns the location of every model.
 */
export const ModelEndpoints = v.pipe(
  v.record(v.string(), Differing),
  v.check((given) => Object.keys(given).every((id) => models.some((model) => model.id === id)), 'must name models'),
  v.transform(
    (given): ReadonlyMap<string, ModelEndpoint> =>
      new Map(models.map((model) => [model.id, placeOf(model, given[model.id])])),
  ),
  v.check(
    (endpoints) => models.every((model) => serves(endpoints.get(model.id), model)),
    'must name a family that serves the model',
  ),
);

/** A stage that names an endpoint for a model uses it instead of the offer's server. */
function placeOf({ endpoint, family, component, server }: Model, given?: Partial<ModelEndpoint>): ModelEndpoint {
  const own = { endpoint, family, ...(component !== undefined && { component }) };
  return given ? { ...own, ...given } : { ...own, ...(server && { server, servedName: server.model }) };
}

function serves(endpoint: ModelEndpoint | undefined, { capabilities }: Model): boolean {
  return endpoint !== undefined && capabilities.every((capability) => served[endpoint.family].includes(capability));
}

const place = { endpoint: EndpointName, component: v.exactOptional(EndpointName) };
const labelsTo = <const Names extends readonly string[]>(names: Names) =>
  v.optional(v.record(v.string(), v.picklist(names, `must be one of ${names.join(', ')}`)), {});

/**
 * Encoders for parts of an analysis, each in an existing endpoint. `sentiment` and `language` are sequence classifiers
 * in a TEI container, `entities` is a token classifier in one of the Hugging Face toolkit. `labels` maps the model's
 * labels to ours (`{ "LABEL_0": "negative" }`); for languages, to codes of ISO 639-1.
 */
export const AnalysisEncoders = v.strictObject({
  sentiment: v.exactOptional(v.strictObject({ ...place, labels: labelsTo(sentiments) })),
  language: v.exactOptional(v.strictObject(place)),
  entities: v.exactOptional(v.strictObject({ ...place, labels: labelsTo(entityTypes) })),
});
export type AnalysisEncoders = v.InferOutput<typeof AnalysisEncoders>;

export interface EncoderPlace {
  readonly endpoint: string;
  readonly component?: string | undefined;
}

export const encoderPlaces = (encoders: AnalysisEncoders): EncoderPlace[] =>
  [encoders.sentiment, encoders.language, encoders.entities].filter((encoder) => encoder !== undefined);
