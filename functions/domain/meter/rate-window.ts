import type { RateLimit } from '../shared/service-error.ts';
import type { Allowance, Meter } from './meter.ts';

/**
 * Rolling rate window (docs/meter.md#rate). Each 3 s bucket stores the ceiling found by its first call. A call
 * is admitted while the count is below every ceiling of the last 21 buckets, so it stops counting after 60 to 63 s.
 */
const bucketMs = 3000;
const windowBuckets = 21;

export const unlimited = 1e15;

function bucketAt(now: number): string {
  return Math.floor(now / bucketMs).toString(36);
}

let lastWindow: { readonly newest: string; readonly buckets: readonly string[] } | undefined;

/** Returns the buckets of the window, newest first. Calls of the same bucket receive the same array. */
export function bucketsInWindow(now: number): readonly string[] {
  const newest = bucketAt(now);
  if (lastWindow?.newest !== newest) {
    const buckets = Array.from({ length: windowBuckets }, (_, age) => bucketAt(now - age * bucketMs));
    lastWindow = { newest, buckets };
  }
  return lastWindow.buckets;
}

export function bucketsLeftBehind(buckets: Meter['buckets'], now: number): string[] {
  return [...buckets.keys()].filter((name) => leavesAt(name) <= now);
}

interface RateStatus extends RateLimit {
  /** Milliseconds until a refused call would be admitted; 0 if it would be now. */
  readonly retryAfterMs: number;
}

export function rateStatus({ admitted, ceiling, buckets }: Allowance, now: number): RateStatus | undefined {
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
