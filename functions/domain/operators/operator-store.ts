import type { Account, Role } from '../accounts/account.ts';
import type { LedgerEntry, Meter } from '../meter/meter.ts';
import type { AuditEvent } from '../shared/audit-event.ts';

/**
 * What operators change, each with its audit event in the same transaction. True also where an earlier try, whose reply
 * was lost, has done it; false, and nothing is written, where the account has changed since it was read. Nor where `by` is
 * no operator any more, which is refused (403).
 */
export interface OperatorStore {
  /** Stops keys and sessions immediately. */
  suspend(event: AuditEvent): Promise<boolean>;
  resume(event: AuditEvent): Promise<boolean>;
  /** Puts `after` in the place of `before`, as `MeterStore.replace` does. */
  replaceMeter(before: Meter, after: Meter, entries: readonly LedgerEntry[], event: AuditEvent): Promise<boolean>;
  setRole(account: Account, role: Role, event: AuditEvent): Promise<boolean>;
}
