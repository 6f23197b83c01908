import type { ServiceName } from '#contract/billing/prices.ts';
import type { LimitPeriod } from '#contract/shared/limits.ts';
import { daySeconds } from '#contract/shared/time.ts';
import { heldCredits, type Meter } from './meter.ts';

/**
 * Prefix of the ids of a key's budgets: the first characters of the key's id. Keys that the key is rotated into use the
 * same budgets.
 */
export const familyOf = (keyId: string): string => keyId.slice(0, 8);

/**
 * Names a key's storage of prompts and responses in the meter. 72 bits, because a collision would store another key's.
 */
export const contentIdOf = (keyId: string): string => keyId.slice(0, 12);

/** Each period has its own budget, so that changing the period cannot reset it. */
export const budgetOf = (family: string, period: LimitPeriod): string => family + period.slice(0, 1);

export const familyOfBudget = (budget: string): string => budget.slice(0, -1);

/** Maximum spending in a period, in microcredits. `budget`: shared with the keys that the key is rotated into. */
export interface SpendingLimit {
  readonly budget: string;
  readonly amount: number;
  readonly period: LimitPeriod;
}

/** `used`: microcredits spent since `start` (epoch seconds), including open holds. */
export interface Budget {
  readonly start: number;
  readonly used: number;
}

export interface WorkingKey {
  readonly expiresAt: number;
  readonly limit?: SpendingLimit;
  readonly models?: readonly string[];
  readonly services?: readonly ServiceName[];
}

export interface KeyLimits {
  readonly limit: SpendingLimit | undefined;
  readonly stored: Budget | undefined;
}

export function limitsOf(key: WorkingKey | undefined, budgets: ReadonlyMap<string, Budget>): KeyLimits | undefined {
  if (!key || !isLimited(key)) return undefined;
  return { limit: key.limit, stored: key.limit && budgets.get(key.limit.budget) };
}

export const isLimited = ({ limit, models, services }: Omit<WorkingKey, 'expiresAt'>): boolean =>
  limit !== undefined || models !== undefined || services !== undefined;

/** Returns whether a write based on one is valid for the other. The database compares the used amount. */
export function isSameLimit(one: KeyLimits | undefined, other: KeyLimits | undefined): boolean {
  if (!one || !other) return one === other;
  const facts = ({ limit, stored }: KeyLimits) => [limit?.budget, limit?.amount, limit?.period, stored?.start];
  const known = facts(one);
  return facts(other).every((fact, index) => fact === known[index]);
}

/** Returns the budget at a time (epoch seconds). A clock that is behind has no effect. */
export function budgetAt({ period }: SpendingLimit, stored: Budget | undefined, now: number): Budget {
  const start = startOfPeriod(period, now);
  return stored && stored.start >= start ? stored : { start, used: 0 };
}

export function startOfPeriod(period: LimitPeriod, now: number): number {
  if (period === 'total') return 0;
  if (period === 'day') return Math.floor(now / daySeconds) * daySeconds;
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

export function nextPeriod(period: LimitPeriod, now: number): number | undefined {
  if (period === 'total') return undefined;
  if (period === 'day') return startOfPeriod(period, now) + daySeconds;
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}

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
