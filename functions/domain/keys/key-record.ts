import type { KeyStatus } from '#contract/keys.ts';

/** An API key as stored: never the key itself. `id` is its digest; moments in epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: Exclude<KeyStatus, 'expired'>;
  /** Set when an operator suspended it: then only an operator resumes it. */
  readonly suspendedByOperator?: true;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  /** Raised by every change, which is conditional on it. */
  readonly revision: number;
}

export function statusOf(record: KeyRecord, now: number): KeyStatus {
  const isPast = record.expiresAt !== undefined && record.expiresAt <= now;
  return record.status !== 'revoked' && isPast ? 'expired' : record.status;
}

/** Works for a call: active and not past. */
export function isWorking(record: KeyRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}
