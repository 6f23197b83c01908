import type { KeyLimit, KeyStatus } from '#contract/accounts/keys.ts';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { epochMs } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import { type Budget, budgetAt, budgetOf, familyOf, nextPeriod, type WorkingKey } from '../meter/key-limits.ts';
import type { KeyEvent } from '../meter/meter.ts';
import type { AuditEvent } from '../shared/audit-event.ts';
import { ServiceError } from '../shared/service-error.ts';

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

/** The expiry of a record; `text` is in ISO 8601, null and undefined meaning never. */
export function expiryOf(text: string | null | undefined): { expiresAt?: number } {
  return text === null || text === undefined ? {} : { expiresAt: epochMs(text) };
}

/** Refuses (400) an expiry that is past, which no schema can: none knows what time it is. */
export function demandFuture(text: string | null | undefined, now: number): void {
  const { expiresAt } = expiryOf(text);
  if (expiresAt === undefined || expiresAt > now) return;
  throw new ServiceError('INVALID_FORMAT', 'expiresAt must be in the future.');
}

/** An account that has more, from before there was a limit, loses them a hundred at a time. */
const maxRemoved = 100;

/** Of the keys that have ended, all but the newest. */
export function surplusOf(stored: readonly StoredKey[], now: number): StoredKey[] {
  const ended = stored.filter((key) => hasEnded(key, now));
  return ended.toSorted(newestFirst).slice(limits.endedKeys);
}

/** Deletes the oldest keys that have ended. */
export async function removeSurplus(
  keys: KeyStore,
  accountId: number,
  { stored, now }: { stored: readonly StoredKey[]; now: number },
): Promise<void> {
  const surplus = surplusOf(stored, now).slice(0, maxRemoved);
  await Promise.all(surplus.map((key) => keys.remove(accountId, key)));
}

export function newestFirst(one: StoredKey, other: StoredKey): number {
  return (other.createdAt ?? 0) - (one.createdAt ?? 0);
}

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

export type KeyWrite = 'done' | 'too many active' | 'too many usable' | 'changed meanwhile';

/**
 * `now` in epoch ms; `unused` are budgets of spending limits that no usable key has any more, which are removed on the way;
 * `event` is that of an operator, written in the same transaction.
 */
export interface KeyWriteOptions {
  readonly now: number;
  readonly unused?: readonly string[];
  readonly event?: AuditEvent;
  /** What the change is to the account, where it is an event of webhooks. */
  readonly keyEvent?: KeyEvent;
}

/** Key records in the `accounts` table, and with them, in the same transaction, the digests in the account's meter. */
export interface KeyStore {
  list(accountId: number): Promise<StoredKey[]>;
  find(accountId: number, id: string): Promise<StoredKey | undefined>;
  create(accountId: number, record: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite>;
  /** `after.revision` is one above the stored record's. */
  change(accountId: number, after: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite>;
  /** Deletes a key's record, unless it has changed since it was read. */
  remove(accountId: number, key: StoredKey): Promise<void>;
  /** Revokes a key whose record cannot be read, and leaves the rest of the record as it is. */
  revokeUnreadable(accountId: number, id: string, options: Omit<KeyWriteOptions, 'unused'>): Promise<void>;
  /** Changes one and creates another, both or none. */
  rotate(
    accountId: number,
    old: KeyRecord,
    fresh: KeyRecord,
    options: Omit<KeyWriteOptions, 'unused'>,
  ): Promise<KeyWrite>;
}
