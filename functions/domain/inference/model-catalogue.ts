import { planOfRank } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { catalogueCreated, models } from '#contract/inference/models.ts';
import { ServiceError } from '../shared/service-error.ts';

export function listedModels() {
  return models.map((model) => ({
    id: model.id,
    object: 'model' as const,
    created: catalogueCreated,
    owned_by: 'platform',
    capabilities: [...model.capabilities],
    context_window: model.contextWindow,
    max_output_tokens: model.capabilities.includes('chat') ? model.contextWindow : null,
    dimensions: model.dimensions,
    min_plan: planOfRank(model.minPlanRank).name,
  }));
}

export function listedModel(id: string) {
  const found = listedModels().find((model) => model.id === id);
  if (found) return found;
  const field = { path: 'model', isMissing: false };
  throw new ServiceError('NOT_FOUND', 'There is no model of this name; GET /openai/v1/models lists them.', { field });
}

export function pricedServices() {
  return Object.entries(prices).map(([name, { unit, unitSize, credits, description }]) => ({
    name,
    unit,
    unitSize,
    credits,
    description,
  }));
}
