import type { ServiceName } from '#contract/billing/prices.ts';
import type { LimitPeriod } from '#contract/shared/limits.ts';

/** Names the budgets of a key's limits, and of those of the keys that it is rotated into: the first characters of its id. */
export const familyOf = (keyId: string): string => keyId.slice(0, 8);

/** Each period has a budget of its own, so that none begins another's again. */
export const budgetOf = (family: string, period: LimitPeriod): string => family + period.slice(0, 1);

export const familyOfBudget = (budget: string): string => budget.slice(0, -1);

/** What a key may spend in a period, in microcredits, from the budget of that id, which the keys that it is rotated into share. */
export interface SpendingLimit {
  readonly budget: string;
  readonly amount: number;
  readonly period: LimitPeriod;
}

/** What was spent from a budget since `start` (epoch seconds), open holds included; in microcredits. */
export interface Budget {
  readonly start: number;
  readonly used: number;
}

/** A key that works, until `expiresAt` (epoch seconds), and what it is limited to: most have no more than an expiry. */
export interface WorkingKey {
  readonly expiresAt: number;
  readonly limit?: SpendingLimit;
  readonly models?: readonly string[];
  readonly services?: readonly ServiceName[];
}

/**
 * What an admission has to know of a limited key before it can write. Of any other key there is nothing to know, and its write has
 * no clause for limits. `stored` is the budget as last read; there is none before the first call.
 */
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

/** Whether a write that knew of the one was right about the other. What was used is the database's to compare. */
export function isSameLimit(one: KeyLimits | undefined, other: KeyLimits | undefined): boolean {
  if (!one || !other) return one === other;
  const facts = ({ limit, stored }: KeyLimits) => [limit?.budget, limit?.amount, limit?.period, stored?.start];
  const known = facts(one);
  return facts(other).every((fact, index) => fact === known[index]);
}

/** A limited key's budget at a moment (epoch seconds): unspent once a new period has begun. A clock that is behind changes nothing. */
export function budgetAt({ period }: SpendingLimit, stored: Budget | undefined, now: number): Budget {
  const start = startOfPeriod(period, now);
  return stored && stored.start >= start ? stored : { start, used: 0 };
}

const daySeconds = 86_400;

/** Days and months are those of UTC; a total has one period. In epoch seconds. */
function startOfPeriod(period: LimitPeriod, now: number): number {
  if (period === 'total') return 0;
  if (period === 'day') return Math.floor(now / daySeconds) * daySeconds;
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

/** When a limit resets, in epoch seconds; a total never does. */
export function nextPeriod(period: LimitPeriod, now: number): number | undefined {
  if (period === 'total') return undefined;
  if (period === 'day') return startOfPeriod(period, now) + daySeconds;
  const date = new Date(now * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
