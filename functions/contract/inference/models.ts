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
  readonly dimensions: number | null;
  readonly minPlanRank: number;
  readonly endpoint: string;
  readonly family: ContainerFamily;
}

/** 1 June 2026 in Unix seconds, the publication date of this catalogue. */
export const catalogueCreated = 1_780_272_000;

/** Rank of the Pro plan, which some models require (docs/inference.md#models). */
const pro = 4;

export const models: readonly Model[] = [
  textModel('svc-1', 4096),
  textModel('svc-1-32k', 32_768, pro),
  textModel('svc-instruct', 4096),
  textModel('svc-code', 8192),
  {
    id: 'svc-embed',
    capabilities: ['embeddings'],
    contextWindow: 8192,
    dimensions: 1536,
    minPlanRank: 1,
    endpoint: 'svc-embed',
    family: 'vllm',
  },
  {
    id: 'svc-speech',
    capabilities: ['speech'],
    contextWindow: 4096,
    dimensions: null,
    minPlanRank: 1,
    endpoint: 'svc-speech',
    family: 'omni',
  },
  {
    id: 'svc-transcribe',
    capabilities: ['transcription'],
    contextWindow: 448,
    dimensions: null,
    minPlanRank: 1,
    endpoint: 'svc-transcribe',
    family: 'whisperx',
  },
];

function textModel(id: string, contextWindow: number, minPlanRank = 1): Model {
  const capabilities = ['chat', 'completion'] as const;
  return { id, capabilities, contextWindow, dimensions: null, minPlanRank, endpoint: id, family: 'vllm' };
}

/** Dimensions of the largest vector of a model. */
export const maxDimensions = Math.max(...models.map(({ dimensions }) => dimensions ?? 0));

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/** Finds the model with this id and capability. Undefined if it does not exist; the call then returns 400. */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
