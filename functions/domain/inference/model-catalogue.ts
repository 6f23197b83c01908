import { planOfRank } from '#contract/billing/plans.ts';
import { microPerCredit, prices } from '#contract/billing/prices.ts';
import { catalogueCreated, models } from '#contract/inference/models.ts';
import type { ModelPrice } from '#contract/offer/offer.ts';
import { ServiceError } from '../shared/service-error.ts';

export function listedModels() {
  return models.map((model) => ({
    id: model.id,
    object: 'model' as const,
    created: catalogueCreated,
    owned_by: 'platform',
    capabilities: [...model.capabilities],
    context_window: model.contextWindow,
    max_output_tokens: model.capabilities.includes('chat') ? model.maxOutputTokens : null,
    dimensions: model.dimensions,
    min_plan: planOfRank(model.minPlanRank).name,
    ...(model.price && { price: listedPrice(model.price) }),
  }));
}

/** `perRequest` is in microcredits, rates in millionths of a microcredit per token. */
function listedPrice({ perRequest, input, cachedInput, cacheWrite, output }: ModelPrice) {
  const credits = (amount: number): number => amount / microPerCredit;
  return {
    per_request: credits(perRequest),
    input: credits(input),
    cached_input: credits(cachedInput),
    cache_write: credits(cacheWrite),
    output: credits(output),
  };
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
