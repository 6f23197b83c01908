import { planOfRank } from './billing/plans.ts';
import { microPerCredit, prices } from './billing/prices.ts';
import { callableModels, catalogClock, catalogCreated, type Model, priceAt, phaseOf } from './inference/models.ts';
import type { ModelPrice } from './offer/offer.ts';

/** The models that can be called now. */
export function listedModels() {
  const now = catalogClock.now();
  return callableModels().map((model) => listed(model, now));
}

export function listed(model: Model, now: number) {
  const { deprecatedFrom, retiredFrom, replacedBy } = model;
  const price = priceAt(model, now);
  const changes = model.priceChanges.filter(({ effectiveFrom }) => Date.parse(effectiveFrom) > now);
  return {
    id: model.id,
    object: 'model' as const,
    created: catalogCreated,
    owned_by: 'platform',
    capabilities: [...model.capabilities],
    context_window: model.contextWindow,
    max_output_tokens: model.capabilities.includes('chat') ? model.maxOutputTokens : null,
    dimensions: model.dimensions,
    min_plan: planOfRank(model.minPlanRank).name,
    ...(price && { price: listedPrice(price) }),
    ...(changes.length > 0 && {
      price_changes: changes.map((change) => ({ effective_from: change.effectiveFrom, ...listedPrice(change) })),
    }),
    ...(deprecatedFrom !== null && { deprecated_from: deprecatedFrom }),
    ...(retiredFrom !== null && { retired_from: retiredFrom }),
    ...(replacedBy !== null && { replaced_by: replacedBy }),
  };
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

export function pricedServices() {
  return Object.entries(prices).map(([name, { unit, unitSize, credits, description }]) => ({
    name,
    unit,
    unitSize,
    credits,
    description,
  }));
}

/** The chat models in Anthropic's form. */
export function listedAnthropicModels() {
  const now = catalogClock.now();
  const timeOf = (day: string | null) => (day === null ? null : new Date(day).toISOString());
  const data = callableModels()
    .filter(({ capabilities }) => capabilities.includes('chat'))
    .map((model) => ({
      type: 'model' as const,
      id: model.id,
      display_name: model.title,
      created_at: new Date(catalogCreated * 1000).toISOString(),
      max_input_tokens: model.contextWindow,
      max_tokens: model.maxOutputTokens,
      lifecycle: phaseOf(model, now) === 'deprecated' ? ('deprecated' as const) : ('active' as const),
      deprecated_at: timeOf(model.deprecatedFrom),
      retires_at: timeOf(model.retiredFrom),
      capabilities: null,
      line: null,
    }));
  return { data, has_more: false as const, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}
