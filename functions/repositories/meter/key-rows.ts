import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import { limitPeriods } from '#contract/shared/limits.ts';
import { type Budget, isLimited, type WorkingKey } from '#domain/meter/limits.ts';
import type { KeyEvent, Meter } from '#domain/meter/meter.ts';

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
/** A single check instead of three, because a meter's item has about 20 counts. */
export const count = v.custom<number>(isCount, 'must be a count');

/**
 * A usable key: its expiry (epoch seconds) or, if limited, a map of x expiry, b budget, l spending limit, p its
 * period, o models, s services.
 */
const LimitedKeyRow = v.object({
  x: count,
  b: v.exactOptional(v.string()),
  l: v.exactOptional(count),
  p: v.exactOptional(v.picklist(limitPeriods)),
  o: v.exactOptional(v.array(v.string())),
  s: v.exactOptional(v.array(v.picklist(serviceNames))),
});
type KeyRow = number | v.InferOutput<typeof LimitedKeyRow>;

export const isKeyRow = (value: unknown): value is KeyRow => isCount(value) || v.is(LimitedKeyRow, value);

export function keyRow(key: WorkingKey): KeyRow {
  const { expiresAt, limit, models, services } = key;
  if (!isLimited(key)) return expiresAt;
  return {
    x: expiresAt,
    ...(limit && { b: limit.budget, l: limit.amount, p: limit.period }),
    ...(models && { o: [...models] }),
    ...(services && { s: [...services] }),
  };
}

export function keyOf(row: KeyRow): WorkingKey {
  if (typeof row === 'number') return { expiresAt: row };
  const { x: expiresAt, b: budget, l: amount, p: period, o: models, s: services } = row;
  const hasLimit = budget !== undefined && amount !== undefined && period !== undefined;
  return {
    expiresAt,
    ...(hasLimit && { limit: { budget, amount, period } }),
    ...(models && { models }),
    ...(services && { services }),
  };
}

/** The budget 1a2bd is the meter's attribute B1a2bd, a map of s start, u used. */
export const budgetName = (id: string): string => `B${id}`;

/** Days of storage of a key's prompts and responses: the attribute D followed by its `contentIdOf`, absent for none. */
export const contentName = (id: string): string => `D${id}`;

export const isPerKeyName = (name: string): boolean => name.startsWith('B') || name.startsWith('D');

const BudgetRow = v.object({ s: count, u: count });

export const budgetRow = ({ start, used }: Budget): v.InferOutput<typeof BudgetRow> => ({ s: start, u: used });

export function perKeyOf(row: unknown): Pick<Meter, 'budgets' | 'contentDays'> {
  const budgets = new Map<string, Budget>();
  let contentDays: Map<string, number> | undefined;
  for (const [name, value] of Object.entries(v.parse(v.record(v.string(), v.unknown()), row))) {
    if (name.startsWith('D')) (contentDays ??= new Map()).set(name.slice(1), v.parse(count, value));
    if (!name.startsWith('B')) continue;
    const { s: start, u: used } = v.parse(BudgetRow, value);
    budgets.set(name.slice(1), { start, used });
  }
  return { budgets, ...(contentDays && { contentDays }) };
}

export const KeyNote = v.object({
  c: v.picklist(['created', 'rotated', 'revoked']),
  at: count,
  k: v.string(),
  o: v.exactOptional(v.string()),
  x: v.exactOptional(count),
});

/** Stored instead of entries. The ledger's stream filter does not match it. */
export function keyNoteRow(event: KeyEvent): Record<string, unknown> {
  const { type, at, keyId } = event;
  const note = { c: type, at, k: keyId };
  if (event.type !== 'rotated') return note;
  const { previousKeyId: o, previousExpiresAt: x } = event;
  return { ...note, o, ...(x !== undefined && { x }) };
}

export function keyEventOf({ c: type, at, k: keyId, o: previousKeyId, x }: v.InferOutput<typeof KeyNote>): KeyEvent {
  if (type !== 'rotated') return { type, at, keyId };
  const previousExpiresAt = x !== undefined && { previousExpiresAt: x };
  return { type, at, keyId, previousKeyId: previousKeyId ?? '', ...previousExpiresAt };
}
