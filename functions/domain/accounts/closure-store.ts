import type { Account, OutgoingMail } from './account.ts';

/** A deleted account whose data is still kept, until `purgeAt` (epoch ms). */
export interface ClosedAccount {
  readonly accountId: number;
  readonly purgeAt: number;
}

export interface Removal {
  readonly purgeAt: number;
  readonly freeFrom: number | undefined;
}

/** Accounts that may not be used: suspended, or deleted and waiting to be purged. Moments in epoch ms. */
export interface ClosureStore {
  /** Stops keys and sessions at once. */
  suspend(accountId: number, now: number): Promise<void>;
  resume(accountId: number): Promise<void>;
  /**
   * Stops keys and sessions at once, frees the e-mail address and the identities, whose next free month may begin at
   * `freeFrom` (epoch seconds) where it is given.
   */
  remove(account: Account, until: Removal, notice: OutgoingMail | undefined, now: number): Promise<void>;
  toBePurged(now: number): AsyncIterable<ClosedAccount>;
  /** Deletes everything but the ledger, whose rows are never deleted. */
  purge(closed: ClosedAccount): Promise<void>;
}
