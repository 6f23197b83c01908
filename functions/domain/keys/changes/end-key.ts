import type { KeyStatus } from '#contract/accounts/keys.ts';
import type { AuditEvent } from '../../shared/audit-event.ts';
import type { Clock } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { isReadable, type KeyRecord, statusOf, type UnreadableKey } from '../key-record.ts';
import type { KeyStore } from '../key-store.ts';
import { shown } from '../shown-key.ts';
import { keyEvent } from './key-events.ts';
import { type DemandChange, demandKey, refuseRevoked } from './key-refusals.ts';
import type { ReviseKey } from './revise-key.ts';

type SuspensionEvent = (before: KeyStatus, after: KeyStatus) => AuditEvent;

interface EndParts {
  readonly keys: KeyStore;
  readonly revise: { readonly ofOwner: ReviseKey; readonly ofOperator: ReviseKey };
  readonly demandChange: DemandChange;
  readonly clock: Clock;
}

/** Revokes keys, and suspends them for operators; one that cannot be read is revoked either way. */
export function keyEnds({ keys, revise, demandChange, clock }: EndParts) {
  /** Revoking twice is fine: a retry must not fail. */
  async function revoke(accountId: number, id: string) {
    const key = await demandKey(keys, accountId, id);
    if (isReadable(key)) return revise.ofOwner(accountId, id, (record) => ({ ...record, status: 'revoked' }));
    await demandChange(accountId);
    return revokeUnreadable(accountId, key);
  }

  /** For good: the account's owner cannot resume it. `eventOf` is given its status before and after. */
  async function suspendByOperator(accountId: number, id: string, eventOf: SuspensionEvent) {
    const key = await demandKey(keys, accountId, id);
    refuseRevoked(key);
    if (!isReadable(key)) return revokeUnreadable(accountId, key, eventOf(key.status, 'revoked'));
    return revise.ofOperator(accountId, id, suspended, (before, now) => eventOf(statusOf(before, now), 'suspended'));
  }

  async function revokeUnreadable(accountId: number, key: UnreadableKey, event?: AuditEvent) {
    const now = clock.now();
    const happened = key.status !== 'revoked' && { keyEvent: keyEvent('revoked', key.id, now) };
    await keys.revokeUnreadable(accountId, key.id, { now, ...(event && { event }), ...happened });
    return shown({ ...key, status: 'revoked' }, { budgets: new Map(), now });
  }

  return { revoke, suspendByOperator };
}

function suspended(record: KeyRecord): KeyRecord {
  refuseRevoked(record);
  if (record.suspendedByOperator) {
    throw new ServiceError('INVALID_STATE', 'The key was already suspended by an operator.');
  }
  return { ...record, status: 'suspended', suspendedByOperator: true };
}
