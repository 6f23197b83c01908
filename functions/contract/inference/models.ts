import { offer } from '../offer/current-offer.ts';
import type { ModelFeature, ModelPrice } from '../offer/offer.ts';

/** What a model is called for. */
export type Capability = 'chat' | 'completion' | 'embeddings' | 'speech' | 'transcription';

/** Families of SageMaker model containers. Each has its own API (docs/inference.md#container-contracts). */
export const containerFamilies = ['vllm', 'lmi', 'tgi', 'tei', 'omni', 'whisperx'] as const;
export type ContainerFamily = (typeof containerFamilies)[number];

/**
 * A model of the catalogue (docs/specification.md#limits and docs/specification.md#versioning,
 * docs/inference.md#models). `contextWindow` is in tokens. `minPlanRank` is the smallest plan that may use the model.
 * `endpoint` and `family` are the SageMaker endpoint and its container, unless the stage overrides them.
 */
export interface Model {
  readonly id: string;
  readonly capabilities: readonly Capability[];
  readonly contextWindow: number;
  /** Null: the service's price. */
  readonly price: ModelPrice | null;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly maxOutputTokens: number;
  readonly features: readonly ModelFeature[];
  readonly dimensions: number | null;
  readonly minPlanRank: number;
  readonly endpoint: string;
  readonly family: ContainerFamily;
}

/** 1 June 2026 in Unix seconds, the publication date of this catalogue. */
export const catalogueCreated = 1_780_272_000;

export const models: readonly Model[] = offer.models.map(({ endpoints, ...model }) => {
  const hosted = endpoints.find((endpoint) => endpoint.kind === 'sagemaker');
  return { ...model, endpoint: hosted?.endpoint ?? model.id, family: hosted?.family ?? 'vllm' };
});

/** Dimensions of the largest vector of a model. */
export const maxDimensions = Math.max(...models.map(({ dimensions }) => dimensions ?? 0));

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/** Finds the model with this id and capability. Undefined if it does not exist; the call then returns 400. */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
