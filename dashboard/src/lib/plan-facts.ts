import { t } from '@lingui/core/macro';
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
  const credits = creditCount(creditsPerMonth ?? 0);
  const monthly = formatWhole(callsPerMonth ?? 0);
  const perMinute = formatWhole(callsPerMinute ?? 0);
  const concurrent = formatWhole(maxConcurrentCalls);
  return [
    fact(creditsPerMonth === null ? t`Unlimited credits` : t`${credits} per month`),
    ...(callsPerMonth === null ? [] : [fact(t`${monthly} calls per month`)]),
    fact(callsPerMinute === null ? t`Unlimited calls per minute` : t`${perMinute} calls per minute`),
    fact(t`${concurrent} concurrent calls`),
    ...reservedModelsFact(rank),
    ...featureFact(has('messages'), messagesPlan, t`SMS and voice calls`, t`No SMS or voice calls`),
    ...featureFact(has('webhooks'), webhooksPlan, t`Webhooks`, t`No webhooks`),
  ];
}

function reservedModelsFact(rank: number): PlanFact[] {
  if (reservedModels.length === 0) return [];
  const ids = reservedModels.map(({ id }) => id).join(', ');
  const isIncluded = reservedModels.some(({ minPlanRank }) => minPlanRank <= rank);
  return [
    isIncluded
      ? { isIncluded, before: `${t`All models, including`} `, models: ids }
      : { isIncluded, models: ids, after: ` ${t`not included`}` },
  ];
}

/** Empty if no plan has the feature. */
function featureFact(isIncluded: boolean, smallest: typeof messagesPlan, yes: string, no: string): PlanFact[] {
  if (smallest.name === undefined && !isIncluded) return [];
  return [{ isIncluded, before: isIncluded ? yes : no }];
}
