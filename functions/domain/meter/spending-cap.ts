import { daySeconds } from '#contract/shared/time.ts';
import { nextPeriod, startOfPeriod } from './key-limits.ts';
import { heldCredits, type Meter } from './meter.ts';

/**
 * Maximum spending of an account in a calendar month (UTC), in microcredits. `used`: spent since `start` (epoch
 * seconds), including open holds.
 */
export interface SpendingCap {
  readonly limit: number;
  readonly start: number;
  readonly used: number;
}

export const capEnd = ({ start }: Pick<SpendingCap, 'start'>): number => nextPeriod('month', start) ?? start;

/** Microcredits that a call may hold. Negative after the cap was lowered below the used credits. */
export const affordable = ({ spendable, cap }: Pick<Meter, 'spendable' | 'cap'>): number =>
  cap ? Math.min(spendable, cap.limit - cap.used) : spendable;

/** Starts the month that contains `now` (epoch seconds). Running calls count in the month in which they end. */
export function withCapMonth(meter: Meter, now: number): Meter {
  const { cap } = meter;
  if (!cap) return meter;
  return { ...meter, cap: { ...cap, start: startOfPeriod('month', now), used: heldCredits(meter) } };
}

/**
 * Sets or removes a cap. Counts as an admitted call, so that no write based on the previous meter succeeds: its balance
 * is stored differently with a cap.
 */
export function withCap(before: Meter, cap: SpendingCap | undefined): Meter {
  const { cap: _, ...meter } = before;
  return { ...meter, admitted: meter.admitted + 1, ceiling: meter.ceiling + 1, ...(cap && { cap }) };
}

/** Returns a refund to the cap if its charge was in the cap's month. `at`: epoch seconds of the charge. */
export function withCapRefund(meter: Meter, amount: number, at = 0): Meter {
  const { cap } = meter;
  if (!cap || at < cap.start) return meter;
  return { ...meter, cap: { ...cap, used: Math.max(0, cap.used - amount) } };
}

/**
 * Extends the average of the month so far to its end, in microcredits. The first day counts as a whole day, so that a
 * few calls after midnight do not predict a month of them.
 */
export function forecastOf(used: number, now: number): number {
  const start = startOfPeriod('month', now);
  const end = capEnd({ start });
  const elapsed = Math.max(daySeconds, now - start);
  return Math.round(used * Math.max(1, (end - start) / elapsed));
}
