import { offer } from '../offer/current-offer.ts';
import type { Capability, Model, ModelPrice, Offer } from '../offer/offer.ts';

export type { Model } from '../offer/offer.ts';

/** 1 June 2026 in Unix seconds, the publication date of this catalog. */
export const catalogCreated = 1_780_272_000;

/**
 * The models of an offer, except those that no plan includes, such as a default model for a rank above the largest
 * plan.
 */
export const modelsOf = ({ models, plans }: Pick<Offer, 'models' | 'plans'>): Model[] =>
  models.flatMap((model) => {
    const plan = plans.find(({ id }) => id >= model.minPlanRank);
    return plan ? [{ ...model, minPlanRank: plan.id }] : [];
  });

export const models: readonly Model[] = modelsOf(offer);

/** The time that decides on dates and prices of models, in epoch ms. The service sets its own clock. */
export const catalogClock = { now: (): number => Date.now() };

const startOf = (day: string): number => Date.parse(day);
const hasBegun = (day: string | null, now: number): boolean => day !== null && startOf(day) <= now;

/** `upcoming`: unknown to callers. `retired`: refused with the name of the replacement. */
export type Phase = 'upcoming' | 'available' | 'deprecated' | 'retired';
type Dates = Pick<Model, 'availableFrom' | 'deprecatedFrom' | 'retiredFrom'>;

export function phaseOf({ availableFrom, deprecatedFrom, retiredFrom }: Dates, now = catalogClock.now()): Phase {
  if (availableFrom !== null && !hasBegun(availableFrom, now)) return 'upcoming';
  if (hasBegun(retiredFrom, now)) return 'retired';
  return hasBegun(deprecatedFrom, now) ? 'deprecated' : 'available';
}

export function isCallable(model: Dates, now?: number): boolean {
  const phase = phaseOf(model, now);
  return phase === 'available' || phase === 'deprecated';
}

/** The models that can be called now. */
export const callableModels = (): Model[] => models.filter((model) => isCallable(model));

/** The models that callers know, including retired ones. */
export const knownModels = (): Model[] => models.filter((model) => phaseOf(model) !== 'upcoming');

export const priceAt = (
  { price, priceChanges }: Pick<Model, 'price' | 'priceChanges'>,
  now = catalogClock.now(),
): ModelPrice | null => priceChanges.findLast(({ effectiveFrom }) => hasBegun(effectiveFrom, now)) ?? price;

/** Id of the first model with a capability, for examples and forms. Empty if no model has it. */
export function firstModelFor(capability: Capability): string {
  const fitting = models.filter(({ capabilities }) => capabilities.includes(capability));
  return (fitting.find((model) => isCallable(model)) ?? fitting[0])?.id ?? '';
}

/** Returns the first of a model and its replacements that can be called and fits. */
export function servedModel(id: string, fits: (model: Model) => boolean, find = modelNamed): Model | undefined {
  // The offer's check excludes cycles.
  for (let model = find(id); model; model = find(model.replacedBy ?? ''))
    if (isCallable(model) && fits(model)) return model;
  return undefined;
}

const embeds = ({ dimensions, capabilities }: Model): boolean =>
  dimensions !== null && capabilities.includes('embeddings');

/**
 * The model that embeds documents of agents: the first for embeddings, and once it is retired its replacement, if it
 * has one (docs/offer.md#dates-of-models). Undefined if no model has embeddings.
 */
export function documentModel(): Model | undefined {
  const first = models.find((model) => embeds(model) && phaseOf(model) !== 'upcoming');
  return first && (servedModel(first.id, embeds) ?? first);
}

/** The model of vectors that were stored without its id. */
export const earlierDocumentModel = models.find(embeds)?.id ?? '';

/** Dimensions of the largest vector of a model. */
export const maxDimensions = Math.max(...models.map(({ dimensions }) => dimensions ?? 0));

const byId: ReadonlyMap<string, Model> = new Map(
  models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model] as const)),
);

/** Finds the model with this id or alias, even if it is upcoming or retired. */
export const modelNamed = (name: string): Model | undefined => byId.get(name);

/** Finds the model with this id or alias and capability. Undefined if it does not exist; the call then returns 400. */
export function findModel(id: string, capability: Capability): Model | undefined {
  const model = byId.get(id);
  return model?.capabilities.includes(capability) ? model : undefined;
}
