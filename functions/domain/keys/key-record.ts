import type { KeyLimit, KeyStatus } from '#contract/accounts/keys.ts';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { budgetOf, familyOf, type WorkingKey } from '../meter/key-limits.ts';

/** An API key as stored: never the key itself. `id` is its digest; moments in epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: Exclude<KeyStatus, 'expired' | 'unreadable'>;
  /** Set when an operator suspended it: then only an operator resumes it. */
  readonly suspendedByOperator?: true;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly limit?: KeyLimit;
  /** Begin of the ids of the budgets that limits are spent from: that of the key which this one was rotated from, if it was. */
  readonly budget?: string;
  readonly models?: readonly string[];
  readonly services?: readonly ServiceName[];
  /** Raised by every change, which is conditional on it. */
  readonly revision: number;
}

/** What can be shown of a stored key that cannot be read as a whole; nothing but revoking it is possible. */
export interface UnreadableKey extends Partial<Pick<KeyRecord, 'createdAt' | 'expiresAt' | 'lastUsedAt'>> {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: 'unreadable' | 'revoked';
  readonly revision: undefined;
}

export type StoredKey = KeyRecord | UnreadableKey;

export function isReadable(key: StoredKey): key is KeyRecord {
  return key.revision !== undefined;
}

export function statusOf(key: StoredKey, now: number): KeyStatus {
  const isPast = key.expiresAt !== undefined && key.expiresAt <= now;
  return isReadable(key) && key.status !== 'revoked' && isPast ? 'expired' : key.status;
}

/** Can never be used again, unless an expiry is moved. */
export function hasEnded(key: StoredKey, now: number): boolean {
  return ['revoked', 'expired'].includes(statusOf(key, now));
}

/** Works for a call: active and not past. */
export function isWorking(record: KeyRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}

/** What a caller limits a key to; null or left out of a new key meaning nothing. */
export interface KeyLimitChanges {
  readonly limit?: KeyLimit | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly services?: readonly ServiceName[] | null | undefined;
}

/** The record with what is named changed, and taken away where it is null. */
export function withLimits(record: KeyRecord, changes: KeyLimitChanges): KeyRecord {
  const { limit, budget = familyOf(record.id), models, services, ...rest } = record;
  const after = {
    limit: changes.limit === undefined ? limit : changes.limit,
    models: changes.models === undefined ? models : changes.models,
    services: changes.services === undefined ? services : changes.services,
  };
  return {
    ...rest,
    ...(after.limit && { limit: after.limit, budget }),
    ...(after.models && { models: after.models }),
    ...(after.services && { services: after.services }),
  };
}

/** What the meter has of a key beside its expiry. */
export function limitsOf({ limit, budget, models, services }: KeyRecord): Omit<WorkingKey, 'expiresAt'> {
  const { credits, period } = limit ?? {};
  return {
    ...(credits !== undefined &&
      period &&
      budget !== undefined && {
        limit: { budget: budgetOf(budget, period), amount: credits * microPerCredit, period },
      }),
    ...(models && { models }),
    ...(services && { services }),
  };
}
