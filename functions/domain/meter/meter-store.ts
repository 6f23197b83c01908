import type { Attempt } from './admission.ts';
import type { Posting } from './lane-keeper.ts';
import type { Lane } from './lanes.ts';
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

/** The charge that a lane's write recorded as its entry `seq`. */
export interface LaneImage {
  readonly lane: number;
  readonly accountId: number;
  readonly seq: number;
  readonly entry: LedgerEntry;
}

/** Microcredits that move to a lane, negative from it. Times in epoch seconds; `at`: its next visit. */
export interface LeaseMove {
  readonly amount: number;
  readonly until: number;
  readonly at: number;
  /** Whether the meter becomes due, because a lot has expired. */
  readonly isDue: boolean;
}

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
  replace(before: Meter, after: Meter, entries: readonly LedgerEntry[]): Promise<boolean>;
  accountsDue(now: number, shards: readonly number[]): AsyncGenerator<number>;
  accountsWithOldHolds(now: number, shards: readonly number[]): AsyncGenerator<number>;
  workIn(kind: SweepKind, shard: number, now: number): Promise<ShardWork>;
  /** Sets the time of the next hold check of an account or lane, if any. Returns false if a call intervened. */
  watchHolds(holder: Pick<Meter, 'accountId' | 'admitted'>, at: number | undefined): Promise<boolean>;
  /** Returns whether the lane admitted the attempt, now or earlier. */
  admitInLane(lane: number, attempt: Attempt): Promise<boolean>;
  /** Removes the hold of an attempt that the account does not admit, as if it had never been. */
  releaseInLane(lane: number, attempt: Attempt): Promise<void>;
  /** Returns the lanes that exist. */
  findLanes(ids: readonly number[]): Promise<readonly Lane[]>;
  openLanes(meter: Meter, lanes: Omit<LeaseMove, 'isDue'> & { readonly count: number }): Promise<boolean>;
  moveLease(meter: Meter, lane: Lane, move: LeaseMove): Promise<boolean>;
  /** Returns the lease of a lane without calls and unposted charges, and ends the lane. */
  closeLane(meter: Meter, lane: Lane, close: Pick<LeaseMove, 'at' | 'isDue'>): Promise<boolean>;
  postCharges(meter: Meter, posting: Posting): Promise<boolean>;
}

/** Maximum attempts of a write that conflicts with the account's calls. An attempt takes about 10 ms. */
export const maxRaces = 400;

/** Time in ms after which no further attempt starts: a third of a request's timeout. */
const maxRaceMs = 10_000;

/** Minimum attempts, even if they take longer in a busy process. */
const minRaces = 4;

export const raceEnd = (): number => performance.now() + maxRaceMs;

/** Returns a function that reports whether another attempt may start. */
export function raceBound(tries = maxRaces, end = raceEnd()): () => boolean {
  let begun = 0;
  return () => ++begun <= tries && (begun <= minRaces || performance.now() < end);
}
