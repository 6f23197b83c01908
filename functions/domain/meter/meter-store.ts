import type { Attempt } from './admission.ts';
import type { Allowance, Hold, LedgerEntry, Meter, TokenCounts } from './meter.ts';
import type { PriceCode } from './pricing.ts';

export interface OpenCall {
  readonly accountId: number;
  readonly requestId: string;
}

export interface StreamCall extends OpenCall, Pick<Hold, 'deadline'> {}

/** Cost of a stream so far in microcredits, and the price of its model, if the model has its own. */
export interface Progress {
  readonly cost: number;
  readonly price?: PriceCode | undefined;
}

/** Closes a hold: charges `cost` and returns the rest. Microcredits; `now` in epoch ms. */
export interface Settlement extends OpenCall {
  readonly hold: Hold;
  readonly cost: number;
  readonly tokens?: TokenCounts | undefined;
  readonly now: number;
  readonly staleBuckets: readonly string[];
  /** A lot may have expired during the hold, so the meter becomes due before returned credits can be spent. */
  readonly expiryPassed: boolean;
}

/** A settlement whose charge is stored for a refund. `seq`: version of the meter that the charge was computed from. */
export interface ChargeSettlement extends Settlement {
  readonly seq: number;
}

/** `meter` reads the meter after the admission, or the meter that failed the condition. */
export type Admission =
  | { readonly isDone: true; readonly meter: () => Allowance }
  | { readonly isDone: false; readonly meter: () => Meter | undefined };

/** `holds`: expired holds of crashed calls. `renewals`: due accounts without calls. */
export type SweepKind = 'holds' | 'renewals';

export interface ShardWork {
  readonly shard: number;
  readonly accounts: number;
  readonly since: number | undefined;
}

export const maxCounted = 100;

/** Every write is conditional, so that a retry after a lost response has no effect. */
export interface MeterStore {
  find(accountId: number): Promise<Meter | undefined>;
  admit(attempt: Attempt): Promise<Admission>;
  /** Records a stream's cost so far. Returns false if the stream must stop. */
  recordProgress(call: StreamCall, progress: Progress): Promise<boolean>;
  /** Returns the progress of a stream that has crashed. Its later records are refused. */
  endProgress(call: StreamCall): Promise<Progress>;
  /** Returns false if the hold was already closed. Retries conflicts for at least `patienceMs`. */
  settle(settlement: Settlement, patienceMs?: number): Promise<boolean>;
  cancelStream(call: OpenCall): Promise<boolean>;
  replace(before: Meter, after: Meter, entries: readonly LedgerEntry[]): Promise<boolean>;
  accountsDue(now: number, shards: readonly number[]): AsyncGenerator<number>;
  accountsWithOldHolds(now: number, shards: readonly number[]): AsyncGenerator<number>;
  workIn(kind: SweepKind, shard: number, now: number): Promise<ShardWork>;
  /** Sets the time of the next hold check, if any. Returns false if a call intervened. */
  watchHolds(meter: Meter, at: number | undefined): Promise<boolean>;
}

/** Attempts of a write that no caller can retry. Each takes about 10 ms. */
export const maxRaces = 400;
