import { catalogueCreated, models } from '#contract/models.ts';
import { planOfRank } from '#contract/plans.ts';
import { prices } from '#contract/prices.ts';

/** The models as `GET /models` lists them (design section 3, "Models"). */
export function listedModels() {
  return models.map((model) => ({
    id: model.id,
    object: 'model' as const,
    created: catalogueCreated,
    owned_by: 'platform',
    capabilities: [...model.capabilities],
    context_window: model.contextWindow,
    max_output_tokens: model.dimensions === null ? model.contextWindow : null,
    dimensions: model.dimensions,
    min_plan: planOfRank(model.minPlanRank).name,
  }));
}

/** The services as `GET /services` lists them. */
export function pricedServices() {
  return Object.entries(prices).map(([name, { unit, unitSize, credits, description }]) => ({
    name,
    unit,
    unitSize,
    credits,
    description,
  }));
}
