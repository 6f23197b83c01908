import * as v from 'valibot';
import { entityTypes, sentiments } from '../analysis/names.ts';
import { type Model, models } from '../inference/models.ts';
import {
  type BedrockEndpoint,
  type Capability,
  containerFamilies,
  type ContainerFamily,
  maxEndpoints,
  type OpenAiEndpoint,
  type SageMakerEndpoint,
  servesCapability,
} from '../offer/offer.ts';

/** An endpoint of a model in a stage. */
export type ModelEndpoint = HostedEndpoint | OpenAiEndpoint | BedrockEndpoint;

export interface HostedEndpoint extends SageMakerEndpoint {
  /** Sent as `model` to containers that require a name. Other containers serve a single model. */
  readonly servedName?: string | undefined;
}

/** Texts per request to TEI: its default `--max-client-batch-size`, which hosted containers also set. */
export const maxTeiTexts = 32;

/** Pattern of SageMaker endpoint names (CreateEndpoint, EndpointName). */
const EndpointName = v.pipe(v.string(), v.regex(/^[a-z0-9](-*[a-z0-9]){0,62}$/i, 'must be the name of an endpoint'));

const Text = v.pipe(v.string(), v.minLength(1));

const expected = `must be the name of an endpoint, an object of endpoint, family (${containerFamilies.join(', ')}), servedName and component, an endpoint of an offer, or a list of up to ${maxEndpoints} of these`;

const Differing = v.union(
  [
    v.pipe(
      EndpointName,
      v.transform((endpoint) => ({ kind: 'sagemaker' as const, endpoint })),
    ),
    v.strictObject({
      kind: v.optional(v.literal('sagemaker'), 'sagemaker'),
      endpoint: v.exactOptional(EndpointName),
      family: v.exactOptional(v.picklist(containerFamilies)),
      servedName: v.exactOptional(Text),
      component: v.exactOptional(EndpointName),
    }),
    v.strictObject({ kind: v.literal('openai'), url: Text, model: Text, secret: v.exactOptional(Text) }),
    v.strictObject({ kind: v.literal('bedrock'), model: Text, region: v.exactOptional(Text) }),
  ],
  expected,
);
type Differing = v.InferOutput<typeof Differing>;

/** An entry, or a list. */
const Setting = v.pipe(
  v.unknown(),
  v.transform((given) => [given].flat()),
  v.array(Differing),
  v.minLength(1, expected),
  v.maxLength(maxEndpoints, expected),
);

/**
 * Parses a stage's model settings that differ from the catalog, by model id: an endpoint's name, `{ "endpoint": …,
 * "family": …, "servedName": …, "component": … }` with optional fields, an endpoint as in an offer, or a list of these.
 * It replaces all endpoints of the model. Returns the endpoints of every model, in order.
 */
export const ModelEndpoints = v.pipe(
  v.record(v.string(), Setting),
  v.check((given) => Object.keys(given).every((id) => models.some((model) => model.id === id)), 'must name models'),
  v.transform(
    (given): ReadonlyMap<string, readonly ModelEndpoint[]> =>
      new Map(
        models.map((model) => [model.id, given[model.id]?.map((one) => completed(model, one)) ?? model.endpoints]),
      ),
  ),
  v.check(
    (endpoints) => [...endpoints.values()].flat().every((one) => one.kind !== 'sagemaker' || one.endpoint !== ''),
    'must name the endpoint of a model that has none on SageMaker',
  ),
  v.check(
    (endpoints) => models.every((model) => areServing(endpoints.get(model.id) ?? [], model)),
    'must name a family that serves the model',
  ),
);

/** Fills absent fields from the model's first endpoint on SageMaker. */
function completed(model: Model, given: Differing): ModelEndpoint {
  if (given.kind !== 'sagemaker') return given;
  const own = model.endpoints.find((endpoint) => endpoint.kind === 'sagemaker');
  return { endpoint: '', family: usualFamily(model), ...own, ...given };
}

/** The first container family that serves all capabilities of a model. */
function usualFamily({ capabilities }: Model): ContainerFamily {
  const serves = (family: ContainerFamily) => (capability: Capability) =>
    servesCapability({ kind: 'sagemaker', endpoint: '', family }, capability);
  return containerFamilies.find((family) => capabilities.every(serves(family))) ?? 'vllm';
}

/** Each endpoint serves a capability of the model, and each capability has an endpoint. */
const areServing = (endpoints: readonly ModelEndpoint[], { capabilities }: Model): boolean =>
  endpoints.every((endpoint) => capabilities.some((capability) => servesCapability(endpoint, capability))) &&
  capabilities.every((capability) => endpoints.some((endpoint) => servesCapability(endpoint, capability)));

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
