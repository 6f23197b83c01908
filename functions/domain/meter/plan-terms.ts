import { type PlanLimits, type Plans, smallestWith } from '#contract/billing/plans.ts';
import type { PlanFeature } from '#contract/offer/offer.ts';
import { addMonths, daySeconds } from '#contract/shared/time.ts';
import type { Meter, Period } from './meter.ts';
import { periodStart } from './periods.ts';

/** Notice of a plan's end, before the renewal that replaces the plan. */
const noticeSeconds = 30 * daySeconds;
/** No notice is due earlier than two months before the end. */
const longestNotice = 62 * daySeconds;

/** The plan in force, with the terms at which the account bought it (docs/adr/0037-kept-terms.md). */
export function planOfMeter(meter: Meter, plans: Plans): PlanLimits {
  return { ...plans(meter.planRank), ...meter.terms };
}

export const hasFeature = (meter: Meter, feature: PlanFeature): boolean =>
  meter.planRank >= smallestWith[feature].id || (meter.terms?.features.includes(feature) ?? false);

/**
 * Returns the renewal that replaces an ending plan, in epoch seconds: the first one after the end that is
 * at least 30 days after the start of the period.
 */
function replacementAfter({ anchor, index }: Period, end: number): number {
  const earliest = Math.max(end, addMonths(anchor, index) + noticeSeconds);
  let next = index + 1;
  while (addMonths(anchor, next) < earliest) next++;
  return addMonths(anchor, next);
}

/** Returns the time of the replacement if notice is due now: notice at the next renewal would postpone it. */
export function noticeOf({ period, subscription }: Meter, { end }: PlanLimits): number | undefined {
  if (!end || subscription?.replacedAt !== undefined) return undefined;
  if (end.at - periodStart(period) > longestNotice) return undefined;
  const at = replacementAfter(period, end.at);
  return replacementAfter({ ...period, index: period.index + 1 }, end.at) > at ? at : undefined;
}
