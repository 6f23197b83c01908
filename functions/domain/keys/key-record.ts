import type { KeyStatus } from '#contract/accounts/keys.ts';

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
