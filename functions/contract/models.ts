/** What a caller asks a model for. */
export type Capability = 'chat' | 'completion' | 'embeddings';

/**
 * A model of the catalogue (spec "Limits" and "Versioning", design sections 3 and 7). `contextWindow` in tokens;
 * `minPlanRank` the smallest plan that may use it; `endpoint` the SageMaker endpoint unless the stage names another.
 */
export interface Model {
  readonly id: string;
  readonly capabilities: readonly Capability[];
  readonly contextWindow: number;
  readonly dimensions: number | null;
  readonly minPlanRank: number;
  readonly endpoint: string;
}

const text = ['chat', 'completion'] as const;

/** 1 June 2026, as Unix seconds: when this catalogue was published. */
export const catalogueCreated = 1_780_272_000;

export const models: readonly Model[] = [
  { id: 'svc-1', capabilities: text, contextWindow: 4096, dimensions: null, minPlanRank: 1, endpoint: 'svc-1' },
  {
    id: 'svc-1-32k',
    capabilities: text,
    contextWindow: 32_768,
    dimensions: null,
    minPlanRank: 4,
    endpoint: 'svc-1-32k',
  },
  {
    id: 'svc-instruct',
    capabilities: text,
    contextWindow: 4096,
    dimensions: null,
    minPlanRank: 1,
    endpoint: 'svc-instruct',
  },
  { id: 'svc-code', capabilities: text, contextWindow: 8192, dimensions: null, minPlanRank: 1, endpoint: 'svc-code' },
  {
    id: 'svc-embed',
    capabilities: ['embeddings'],
    contextWindow: 8192,
    dimensions: 1536,
    minPlanRank: 1,
    endpoint: 'svc-embed',
  },
];

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/** The model with this id and capability; undefined when there is none (then the call is a 400). */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
