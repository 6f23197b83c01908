import type { Account, OutgoingMail } from './account.ts';

/** A deleted account whose data is kept until `purgeAt` (epoch ms). */
export interface DeletedAccount {
  readonly accountId: number;
  readonly purgeAt: number;
}

export interface Removal {
  readonly purgeAt: number;
  readonly freeFrom: number | undefined;
}

/** Accounts that are deleted and wait to be purged. Moments in epoch ms. */
export interface AccountDeletionStore {
  /**
   * Stops keys and sessions immediately, frees the email address and the identities, whose next free month may begin at
   * `freeFrom` (epoch seconds) where it is given.
   */
  remove(account: Account, until: Removal, notice: OutgoingMail | undefined, now: number): Promise<void>;
  toBePurged(now: number): AsyncGenerator<DeletedAccount>;
  /** Deletes everything but the ledger, whose rows are never deleted. Throws once `signal` aborts: the next run deletes the rest. */
  purge(deleted: DeletedAccount, signal?: AbortSignal): Promise<void>;
}
