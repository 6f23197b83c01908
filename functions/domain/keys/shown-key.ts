import { microPerCredit } from '#contract/billing/prices.ts';
import { type Budget, budgetAt, nextPeriod } from '../meter/key-limits.ts';
import { isReadable, type KeyRecord, limitsOf, type StoredKey, statusOf } from './key-record.ts';

/** What the keys of an account have spent of their limits, by the id of the budget. */
export type Budgets = ReadonlyMap<string, Budget>;

/** The one response that carries the key. */
export function created(record: KeyRecord, key: string, { budgets, now }: ShownAt) {
  return { ...shown(record, { budgets, now }), createdAt: new Date(record.createdAt).toISOString(), key };
}

/** `now` in epoch ms. */
interface ShownAt {
  readonly budgets: Budgets;
  readonly now: number;
}

/** A key as lists show it. */
export function shown(record: StoredKey, { budgets, now }: ShownAt) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    status: statusOf(record, now),
    createdAt: isoOrNull(record.createdAt),
    expiresAt: isoOrNull(record.expiresAt),
    lastUsedAt: isoOrNull(record.lastUsedAt),
    ...(isReadable(record) ? shownLimits(record, budgets, now) : { limit: null, models: null, services: null }),
  };
}

function shownLimits(record: KeyRecord, budgets: Budgets, now: number) {
  const models = record.models ? [...record.models] : null;
  const services = record.services ? [...record.services] : null;
  const { limit } = limitsOf(record);
  if (!limit) return { limit: null, models, services };
  const seconds = Math.floor(now / 1000);
  const { used } = budgetAt(limit, budgets.get(limit.budget), seconds);
  const next = nextPeriod(limit.period, seconds);
  const standing = { credits: limit.amount / microPerCredit, period: limit.period, used: used / microPerCredit };
  return { limit: { ...standing, resetsAt: isoOrNull(next && next * 1000) }, models, services };
}

function isoOrNull(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}
