import type { PlanLimits } from '#contract/billing/plans.ts';
import type { RateLimit } from '../shared/service-error.ts';
import type { Allowance, Meter } from './meter.ts';

/**
 * The strict rolling minute (docs/meter.md#rate). Time is cut into 3 s buckets; a bucket keeps the ceiling its
 * first call found. A call is within the limit while the count of calls is below every ceiling of the last 21 buckets,
 * which cover any 60 s whole; so a call frees its place 60 to 63 s later.
 */
const bucketMs = 3000;
const windowBuckets = 21;

/** A number no limit reaches: plans without a limit (JavaScript and DynamoDB both hold it exactly). */
export const unlimited = 1e15;

/** A meter on a plan's limits. The rate ceilings move, so that calls already made go on counting against the new limit. */
export function onPlan(meter: Meter, plan: PlanLimits): Meter {
  const shift = (plan.callsPerMinute ?? unlimited) - (meter.ceiling - meter.admitted);
  return {
    ...meter,
    planRank: plan.rank,
    maxConcurrentCalls: plan.maxConcurrentCalls,
    callsPerMonth: plan.callsPerMonth ?? unlimited,
    ceiling: meter.ceiling + shift,
    buckets: new Map([...meter.buckets].map(([name, ceiling]) => [name, ceiling + shift])),
  };
}

/** Name of the bucket that a moment (epoch ms) falls into: its index in base 36. */
function bucketAt(now: number): string {
  return Math.floor(now / bucketMs).toString(36);
}

let lastWindow: { readonly newest: string; readonly buckets: readonly string[] } | undefined;

/** The buckets whose ceilings bind a call now, newest first; the same list to all calls of one bucket. */
export function bucketsInWindow(now: number): readonly string[] {
  const newest = bucketAt(now);
  if (lastWindow?.newest !== newest) {
    const buckets = Array.from({ length: windowBuckets }, (_, age) => bucketAt(now - age * bucketMs));
    lastWindow = { newest, buckets };
  }
  return lastWindow.buckets;
}

/** Buckets that bind nobody any more. */
export function bucketsLeftBehind(buckets: Meter['buckets'], now: number): string[] {
  return [...buckets.keys()].filter((name) => leavesAt(name) <= now);
}

interface RateStanding extends RateLimit {
  /** Milliseconds until a refused call is admitted; 0 when it would be now. */
  readonly retryAfterMs: number;
}

/** Where an account stands in its rolling minute; undefined when its plan has no limit. */
export function rateStanding({ admitted, ceiling, buckets }: Allowance, now: number): RateStanding | undefined {
  const limit = ceiling - admitted;
  if (limit >= unlimited) return undefined;
  const newestLeavesMs = leavesAt(bucketAt(now)) - now;
  let [minLeft, retryAfterMs, resetMs] = [limit, 0, 0];
  bucketsInWindow(now).forEach((name, age) => {
    const found = buckets.get(name);
    if (found === undefined) return;
    const leavesMs = newestLeavesMs - age * bucketMs;
    minLeft = Math.min(minLeft, found - admitted);
    resetMs = Math.max(resetMs, leavesMs);
    if (admitted >= found) retryAfterMs = Math.max(retryAfterMs, leavesMs);
  });
  return { limit, remaining: Math.max(0, minLeft), retryAfterMs, resetMs };
}

function leavesAt(name: string): number {
  return (Number.parseInt(name, 36) + windowBuckets) * bucketMs;
}
