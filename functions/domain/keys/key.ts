import type { KeyLimit, KeyStatus } from '#contract/accounts/keys.ts';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { epochMs } from '#contract/shared/fields.ts';
import { limits } from '#contract/shared/limits.ts';
import { iso, isoOrNull } from '#contract/shared/time.ts';
import { type Budget, budgetAt, budgetOf, familyOf, nextPeriod, type WorkingKey } from '../meter/limits.ts';
import type { KeyEvent } from '../meter/meter.ts';
import type { OutgoingMail } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

/** A stored API key. `id` is the digest of the key, which is never stored. Times in epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: Exclude<KeyStatus, 'expired' | 'unreadable'>;
  /** Suspended by an operator; the owner cannot resume it. */
  readonly suspendedByOperator?: true;
  readonly createdAt: number;
  /** The person who created it. Absent for keys of earlier versions. */
  readonly createdBy?: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly limit?: KeyLimit;
  /** Prefix of the key's budget ids: that of the key it was rotated from, if any. */
  readonly budget?: string;
  readonly models?: readonly string[];
  readonly services?: readonly ServiceName[];
  /** Days for which prompts and responses of its calls are stored. Absent: they are not. */
  readonly contentDays?: number;
  /** Version for optimistic locking. Every change increments it. */
  readonly revision: number;
}

/** The readable part of an invalid record. Such a key can only be revoked. */
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

/** An expired key becomes usable again if its expiry is extended. */
export function hasEnded(key: StoredKey, now: number): boolean {
  return ['revoked', 'expired'].includes(statusOf(key, now));
}

export function isWorking(record: KeyRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}

/** Null, or absent for a new key, means no limit. */
export interface KeyLimitChanges {
  readonly limit?: KeyLimit | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly services?: readonly ServiceName[] | null | undefined;
}

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

/** `text` in ISO 8601; null and undefined mean never. */
export function expiryOf(text: string | null | undefined): { expiresAt?: number } {
  return text === null || text === undefined ? {} : { expiresAt: epochMs(text) };
}

export function requireFuture(text: string | null | undefined, now: number): void {
  const { expiresAt } = expiryOf(text);
  if (expiresAt === undefined || expiresAt > now) return;
  throw new ServiceError('INVALID_FORMAT', 'expiresAt must be in the future.');
}

/** Removes old surplus keys of accounts in batches. */
const maxRemoved = 100;

export function surplusOf(stored: readonly StoredKey[], now: number): StoredKey[] {
  const ended = stored.filter((key) => hasEnded(key, now));
  return ended.toSorted(newestFirst).slice(limits.endedKeys);
}

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

export type Budgets = ReadonlyMap<string, Budget>;

/** The only response that contains the key. */
export function createdKeyView(record: KeyRecord, key: string, { budgets, now }: KeyViewContext) {
  return { ...keyView(record, { budgets, now }), createdAt: iso(record.createdAt), key };
}

interface KeyViewContext {
  readonly budgets: Budgets;
  readonly now: number;
}

export function keyView(record: StoredKey, { budgets, now }: KeyViewContext) {
  return {
    id: record.id,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    status: statusOf(record, now),
    suspendedByOperator: isReadable(record) && record.suspendedByOperator === true,
    createdAt: isoOrNull(record.createdAt),
    createdBy: (isReadable(record) ? record.createdBy : undefined) ?? null,
    expiresAt: isoOrNull(record.expiresAt),
    lastUsedAt: isoOrNull(record.lastUsedAt),
    ...(isReadable(record) ? limitsView(record, budgets, now) : { limit: null, models: null, services: null }),
    contentDays: (isReadable(record) ? record.contentDays : undefined) ?? null,
  };
}

function limitsView(record: KeyRecord, budgets: Budgets, now: number) {
  const models = record.models ? [...record.models] : null;
  const services = record.services ? [...record.services] : null;
  const { limit } = limitsOf(record);
  if (!limit) return { limit: null, models, services };
  const seconds = Math.floor(now / 1000);
  const { used } = budgetAt(limit, budgets.get(limit.budget), seconds);
  const next = nextPeriod(limit.period, seconds);
  const spending = { credits: limit.amount / microPerCredit, period: limit.period, used: used / microPerCredit };
  return { limit: { ...spending, resetsAt: isoOrNull(next && next * 1000) }, models, services };
}

export type KeyWrite = 'done' | 'too many active' | 'too many usable' | 'changed meanwhile';

/** `now` in epoch ms. `unused`: budgets to remove. `event`: the operator's audit event. */
export interface KeyWriteOptions {
  readonly now: number;
  readonly unused?: readonly string[];
  readonly event?: AuditEvent;
  readonly keyEvent?: KeyEvent;
  /** Queued in the same transaction. */
  readonly notice?: OutgoingMail | undefined;
}

/** Key records in the `accounts` table. Each change updates the account's meter in the same transaction. */
export interface KeyStore {
  list(accountId: number): Promise<StoredKey[]>;
  find(accountId: number, id: string): Promise<StoredKey | undefined>;
  create(accountId: number, record: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite>;
  change(accountId: number, after: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite>;
  remove(accountId: number, key: StoredKey): Promise<void>;
  revokeUnreadable(accountId: number, id: string, options: Omit<KeyWriteOptions, 'unused'>): Promise<void>;
  rotate(
    accountId: number,
    old: KeyRecord,
    fresh: KeyRecord,
    options: Omit<KeyWriteOptions, 'unused'>,
  ): Promise<KeyWrite>;
}
