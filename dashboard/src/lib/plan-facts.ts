import { messagesPlan, type PlanLimits, smallestWith, webhooksPlan } from '#contract/billing/plans.ts';
import { callableModels } from '#contract/inference/models.ts';
import { offer } from '#contract/offer/current-offer.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { creditCount, formatWhole } from './format.ts';

/** A line about a plan. `models` are ids, shown between the texts. */
export interface PlanFact {
  readonly isIncluded: boolean;
  readonly before?: string;
  readonly models?: string;
  readonly after?: string;
}

/** Excludes hidden plans. */
const largestListed = offer.plans.findLast(({ hidden }) => !hidden)?.id ?? 0;
const reservedModels = callableModels().filter(({ minPlanRank }) => minPlanRank > 1 && minPlanRank <= largestListed);

/** Limits and features of a plan, for the plans page and the public pages. */
export function planFacts({
  rank,
  creditsPerMonth,
  callsPerMonth,
  callsPerMinute,
  maxConcurrentCalls,
  features,
}: Omit<PlanLimits, 'name' | 'price'>): PlanFact[] {
  const has = (feature: PlanFeature): boolean => rank >= smallestWith[feature].id || features.includes(feature);
  const fact = (before: string): PlanFact => ({ isIncluded: true, before });
  return [
    fact(creditsPerMonth === null ? 'Unlimited credits' : `${creditCount(creditsPerMonth)} per month`),
    ...(callsPerMonth === null ? [] : [fact(`${formatWhole(callsPerMonth)} calls per month`)]),
    fact(callsPerMinute === null ? 'Unlimited calls per minute' : `${formatWhole(callsPerMinute)} calls per minute`),
    fact(`${formatWhole(maxConcurrentCalls)} concurrent calls`),
    ...reservedModelsFact(rank),
    ...featureFact(has('messages'), messagesPlan, 'SMS and voice calls', 'No SMS or voice calls'),
    ...featureFact(has('webhooks'), webhooksPlan, 'Webhooks', 'No webhooks'),
  ];
}

function reservedModelsFact(rank: number): PlanFact[] {
  if (reservedModels.length === 0) return [];
  const ids = reservedModels.map(({ id }) => id).join(', ');
  const isIncluded = reservedModels.some(({ minPlanRank }) => minPlanRank <= rank);
  return [
    isIncluded
      ? { isIncluded, before: 'All models, including ', models: ids }
      : { isIncluded, models: ids, after: ' not included' },
  ];
}

/** Empty if no plan has the feature. */
function featureFact(isIncluded: boolean, smallest: typeof messagesPlan, yes: string, no: string): PlanFact[] {
  if (smallest.name === undefined && !isIncluded) return [];
  return [{ isIncluded, before: isIncluded ? yes : no }];
}
