import type { Attempt } from './admission.ts';
import type { Allowance, Hold, LedgerEntry, Meter } from './meter.ts';

/** Names a hold. */
export interface OpenCall {
  readonly accountId: number;
  readonly requestId: string;
}

/** What closes a hold: `cost` of it is charged, the rest goes back. Microcredits; `now` in epoch ms. */
export interface Settlement extends OpenCall {
  readonly hold: Hold;
  readonly cost: number;
  readonly now: number;
  /** Buckets that have left the rate window, removed on the way. */
  readonly staleBuckets: readonly string[];
  /** A lot may have expired while the hold was open: what goes back is to be looked at before anyone spends it. */
  readonly expiryPassed: boolean;
}

/** A settlement whose charge is stored for a refund. `seq`: version of the meter that the charge was computed from. */
export interface ChargeSettlement extends Settlement {
  readonly seq: number;
}

/** What reads what an admission left of the meter, or the meter that refused it, if there is one. */
export type Admission =
  | { readonly isDone: true; readonly meter: () => Allowance }
  | { readonly isDone: false; readonly meter: () => Meter | undefined };

/** Holds of dead calls to release, or accounts to renew that do not call. */
export type SweepKind = 'holds' | 'renewals';

export interface ShardWork {
  readonly shard: number;
  /** Accounts to visit, counted up to `maxCounted`. */
  readonly accounts: number;
  /** When the first of them fell due, epoch seconds; undefined without accounts. */
  readonly since: number | undefined;
}

/** Accounts of a shard that are counted; more of them are one page and its successors. */
export const maxCounted = 100;

/** The `meters` table. Every write is conditional, so that a retry after a lost reply changes nothing twice. */
export interface MeterStore {
  find(accountId: number): Promise<Meter | undefined>;
  /** The one write of an admission. */
  admit(attempt: Attempt): Promise<Admission>;
  /**
   * Writes into its hold what a stream has come to so far, in microcredits; false when it is to stop: it was cancelled, or its hold
   * was closed before.
   */
  noteDelivered(call: OpenCall, cost: number): Promise<boolean>;
  /** False when the hold was closed before. Where transactions are in the way, it goes on for `patienceMs` at the least. */
  settle(settlement: Settlement, patienceMs?: number): Promise<boolean>;
  /** Has a stream stop at its next note; false when the account has no such stream running. */
  cancelStream(call: OpenCall): Promise<boolean>;
  /** Puts `after` in the place of `before`; false when the meter has changed since it was read. */
  replace(before: Meter, after: Meter, entries: readonly LedgerEntry[]): Promise<boolean>;
  /** Accounts that are due by `now` (epoch seconds), in these shards of the index. */
  accountsDue(now: number, shards: readonly number[]): AsyncGenerator<number>;
  /** Accounts with a hold that may have passed its deadline by `now` (epoch seconds), in these shards of the index. */
  accountsWithOldHolds(now: number, shards: readonly number[]): AsyncGenerator<number>;
  /** The work that a sweep has in one shard at `now` (epoch seconds). */
  workIn(kind: SweepKind, shard: number, now: number): Promise<ShardWork>;
  /** Sets when the account's holds are to be looked at next, or ends the watch when `at` is undefined. False when calls came in between. */
  watchHolds(meter: Meter, at: number | undefined): Promise<boolean>;
}
