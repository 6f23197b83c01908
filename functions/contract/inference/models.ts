/** What a model is called for. */
export type Capability = 'chat' | 'completion' | 'embeddings' | 'speech' | 'transcription';

/** Families of containers that serve models on SageMaker, each with a contract of its own (docs/inference.md#container-contracts). */
export const containerFamilies = ['vllm', 'lmi', 'tgi', 'tei', 'omni', 'whisperx'] as const;
export type ContainerFamily = (typeof containerFamilies)[number];

/**
 * A model of the catalogue (docs/specification.md#limits and docs/specification.md#versioning, docs/inference.md#models). `contextWindow` in tokens;
 * `minPlanRank` the smallest plan that may use it; `endpoint` the SageMaker endpoint and `family` what runs there, unless the
 * stage names others.
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

/** 1 June 2026, as Unix seconds: when this catalogue was published. */
export const catalogueCreated = 1_780_272_000;

/** The rank of the Pro plan, for which some models are reserved (docs/inference.md#models). */
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

/** Of the largest vector that a model returns. */
export const maxDimensions = Math.max(...models.map(({ dimensions }) => dimensions ?? 0));

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/** The model with this id and capability; undefined when there is none (then the call is a 400). */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
