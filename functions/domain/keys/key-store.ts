import type { KeyEvent } from '../meter/meter.ts';
import type { AuditEvent } from '../shared/audit-event.ts';
import type { KeyRecord, StoredKey } from './key-record.ts';

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
