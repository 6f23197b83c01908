import { ServiceError } from '../../shared/service-error.ts';
import { expiryOf } from '../key-expiry.ts';
import { hasEnded, type KeyLimitChanges, type KeyRecord, withLimits } from '../key-record.ts';

/** What a caller may change about a key; `expiresAt` in ISO 8601, null meaning never. */
export interface KeyChanges extends KeyLimitChanges {
  readonly name?: string | undefined;
  readonly expiresAt?: string | null | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
}

/** The record with what is named changed. */
export function changedKey(record: KeyRecord, changes: KeyChanges, now: number): KeyRecord {
  if (record.status === 'revoked') throw new ServiceError('INVALID_STATE', 'The key is revoked. Create a new one.');
  if (record.suspendedByOperator && changes.status === 'active') {
    throw new ServiceError('INVALID_STATE', 'The key was suspended by an operator. Create a new one.');
  }
  const { expiresAt, ...rest } = record;
  const kept = expiresAt !== undefined && { expiresAt };
  const changed = {
    ...rest,
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.status && { status: changes.status }),
    ...(changes.expiresAt === undefined ? kept : expiryOf(changes.expiresAt)),
  };
  const revives = hasEnded(record, now) && !hasEnded(changed, now);
  if (revives && record.limit && changes.limit === undefined)
    throw new ServiceError(
      'INVALID_STATE',
      'The key has expired, and what it spent of its limit may no longer be known; send limit as well.',
    );
  return withLimits(changed, changes);
}
