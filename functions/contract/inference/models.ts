import { offer } from '../offer/current-offer.ts';
import type { Capability, ContainerFamily, ModelFeature, ModelPrice, Offer, OpenAiEndpoint } from '../offer/offer.ts';

/**
 * A model of the catalogue (docs/specification.md#limits and docs/specification.md#versioning,
 * docs/inference.md#models). `contextWindow` is in tokens. `minPlanRank` is the smallest plan that may use the model.
 * `endpoint` and `family` are the SageMaker endpoint and its container, unless the stage overrides them.
 */
export interface Model {
  readonly id: string;
  readonly capabilities: readonly Capability[];
  readonly contextWindow: number;
  /** Null if the price of the service applies. */
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
  readonly component?: string | undefined;
  /** Serves the model instead of the SageMaker endpoint. */
  readonly server: OpenAiEndpoint | null;
}

/** 1 June 2026 in Unix seconds, the publication date of this catalogue. */
export const catalogueCreated = 1_780_272_000;

/**
 * The models of an offer, except those that no plan includes, such as a default model for a rank above the largest
 * plan.
 */
export const modelsOf = ({ models, plans }: Pick<Offer, 'models' | 'plans'>): Model[] =>
  models.flatMap(({ endpoints, minPlanRank, ...model }, index) => {
    const plan = plans.find(({ id }) => id >= minPlanRank);
    const [first] = endpoints;
    const hosted = first?.kind === 'sagemaker' ? first : undefined;
    const server = first?.kind === 'openai' ? first : null;
    const { endpoint = `model-${index}`, family = familyOf(model.capabilities), component } = hosted ?? {};
    const place = { endpoint, family, ...(component !== undefined && { component }), server };
    return plan ? [{ ...model, ...place, minPlanRank: plan.id }] : [];
  });

/** The container family with the requests of OpenAI's API for these capabilities. */
function familyOf(capabilities: readonly Capability[]): ContainerFamily {
  if (capabilities.includes('speech')) return 'omni';
  return capabilities.includes('transcription') ? 'whisperx' : 'vllm';
}

export const models: readonly Model[] = modelsOf(offer);

/** Id of the first model with a capability, for examples and forms. Empty if no model has it. */
export const firstModelFor = (capability: Capability): string =>
  models.find(({ capabilities }) => capabilities.includes(capability))?.id ?? '';

/** Dimensions of the largest vector of a model. */
export const maxDimensions = Math.max(...models.map(({ dimensions }) => dimensions ?? 0));

const byId: ReadonlyMap<string, Model> = new Map(
  models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)),
);

/** Finds the model with this id or alias and capability. Undefined if it does not exist; the call then returns 400. */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
