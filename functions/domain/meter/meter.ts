import type { changeKinds, PlanName, PlanTerms } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import type { AlertRule, Alerts } from '#contract/routes/alerts.ts';
import type { Attempt } from './admission.ts';
import type { Posting } from './lane-keeper.ts';
import type { Lane } from './lanes.ts';
import type { Budget, WorkingKey, SpendingCap } from './limits.ts';
import type { PriceCode } from './pricing.ts';

export interface Lot {
  /** Unique per account, so that a refund finds the lot even after its expiry has changed. */
  readonly id: number;
  readonly source: 'free' | 'plan' | 'purchase';
  readonly granted: number;
  readonly remaining: number;
  readonly expiresAt: number;
}

/**
 * `deadline`: epoch seconds after which the call has certainly crashed. `delivered`: set for a stream, whose progress
 * is recorded apart. Versions before that recorded its cost here.
 */
export interface Hold {
  readonly amount: number;
  readonly deadline: number;
  readonly service: ServiceName;
  readonly model: string;
  readonly keyId: string;
  readonly delivered?: number;
  /** Stored for a stream at a model's own price, so that the sweep never derives a price. */
  readonly price?: PriceCode | undefined;
  readonly budget?: { readonly id: string; readonly start: number };
}

/** Microcredits of a lane: free, held by its calls, or charged but not posted yet. `posted`: its last posted `seq`. */
export interface Lease {
  readonly amount: number;
  readonly posted: number;
}

/** Billing months are counted from `anchor` (epoch seconds); `index` is the current one. */
export interface Period {
  readonly anchor: number;
  readonly index: number;
}

export interface Subscription {
  readonly id: string;
  readonly planId: string;
  readonly status: 'active' | 'cancelled';
  /** Set with the notice that the plan ends: the renewal that replaces it. */
  readonly replacedAt?: number;
  /** The plan of the next period after a downgrade. A cancellation keeps it, because it may be revoked. */
  readonly pending?: { readonly planId: string; readonly planRank: number; readonly terms?: PlanTerms };
  /** Set on cancellation: the end of the paid period and its limits, and of the credits and the subscription. */
  readonly endsAt?: number;
  readonly creditsExpireAt?: number;
  readonly cancellation?: Cancellation;
  /** Time up to which a paid plan is paid. No month that begins at or after it is granted before its payment. */
  readonly paidUntil?: number;
  /** Set while the current month is not paid: its start, or the time at which its payment was returned. */
  readonly unpaidSince?: number;
}

/** The lots that a resumption restores, as if the subscription had not been cancelled. */
export interface Cancellation {
  readonly seq: number;
  readonly lots: readonly Lot[];
}

/**
 * All data of an admission, in one item per account (docs/meter.md). Amounts in microcredits, times in epoch
 * seconds. `lots` are as of their last settlement, in spending order. Later spending is the difference to `spendable`
 * plus open holds, so that a call updates two numbers and no list.
 */
export interface Meter {
  readonly accountId: number;
  /** Sequence number of the latest ledger row. */
  readonly seq: number;
  readonly closed?: 'suspended' | 'deleted';
  /** Ids of its webhooks. If set, the dispatcher derives events from changes of the meter. */
  readonly webhooks?: ReadonlySet<string>;
  readonly keys: ReadonlyMap<string, WorkingKey>;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Days for which prompts and responses are stored, by the storage id of the key. */
  readonly contentDays?: ReadonlyMap<string, number>;
  readonly cap?: SpendingCap;
  readonly planRank: number;
  readonly maxConcurrentCalls: number;
  readonly callsPerMonth: number;
  /** Charged calls of the current period, plus running ones. */
  readonly callsThisMonth: number;
  readonly admitted: number;
  /** `admitted` plus the plan's calls per minute. */
  readonly ceiling: number;
  /** The ceiling that the first call of each 3 s bucket stored. */
  readonly buckets: ReadonlyMap<string, number>;
  readonly spendable: number;
  readonly holds: ReadonlyMap<string, Hold>;
  /** Leases by lane, negative ids. */
  readonly lanes?: ReadonlyMap<number, Lease>;
  readonly lots: readonly Lot[];
  /** Number of lots ever granted, which is the id of the latest. */
  readonly lotsGranted: number;
  /**
   * `seq` of the latest cancellations that ended their subscriptions, oldest first, at most `maxEndedCancellations`.
   */
  readonly endedCancellations?: readonly number[];
  readonly used: Readonly<Partial<Record<ServiceName, number>>>;
  readonly period: Period;
  readonly freeAnchor: number;
  /** Index of the latest free month whose credits were granted. */
  readonly freeMonth: number;
  readonly subscription?: Subscription;
  /** The terms of the subscribed plan as bought. Rows of earlier versions have none until their next renewal. */
  readonly terms?: PlanTerms;
  /** Next time at which a month ends or a lot expires. No call is admitted after it until that is settled. */
  readonly due: number;
  readonly marks?: readonly string[];
  readonly alerts?: StoredAlerts;
  /** Whole credits below which a pack is bought automatically. */
  readonly topUpBelow?: number;
}

/** The part of the meter that an admitted call needs until it is settled. */
export type Allowance = Pick<
  Meter,
  'accountId' | 'admitted' | 'ceiling' | 'buckets' | 'spendable' | 'due' | 'budgets' | 'contentDays' | 'lanes'
>;

/** `cached`: the part of `input` that was read from a cache. */
export interface TokenCounts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The content of a ledger row. `amount`: signed change of the balance. */
export interface LedgerEntry {
  readonly type: 'grant' | 'charge' | 'refund' | 'expiry' | 'adjustment';
  readonly at: number;
  readonly amount: number;
  readonly service?: ServiceName;
  readonly model?: string;
  /** The price of a charge, or of the charge that is refunded. */
  readonly price?: PriceCode | undefined;
  readonly tokens?: TokenCounts | undefined;
  readonly keyId?: string;
  readonly requestId?: string;
  readonly source?: Lot['source'];
  /** Set for the end of a prepaid job, with its final cost in microcredits. */
  readonly job?: EndedJob;
  readonly change?: SubscriptionChange;
  /** The order that was paid, or whose payment was returned. */
  readonly payment?: string;
}

/** A changed meter and the ledger rows of the change. */
export interface Settled {
  readonly meter: Meter;
  readonly entries: readonly LedgerEntry[];
}

export interface SubscriptionChange {
  readonly kind: (typeof changeKinds)[number];
  readonly plan: PlanName;
  readonly effectiveAt?: number;
}

export interface EndedJob {
  readonly id: string;
  readonly status: string;
  readonly cost: number;
  readonly durationSeconds?: number;
}

export type StoredRule = AlertRule & { readonly family?: string };

export interface StoredAlerts {
  readonly rules: readonly StoredRule[];
  readonly channels: Alerts['channels'];
}

/** Times in epoch seconds. Without `previousExpiresAt`, the old key was revoked immediately. */
export type KeyEvent =
  | { readonly type: 'created' | 'revoked'; readonly at: number; readonly keyId: string }
  | {
      readonly type: 'rotated';
      readonly at: number;
      readonly keyId: string;
      readonly previousKeyId: string;
      readonly previousExpiresAt?: number;
    };

export function heldOf({ holds }: Pick<Meter, 'holds'>, { id, start }: NonNullable<Hold['budget']>): number {
  return holds
    .values()
    .filter(({ budget }) => budget?.id === id && budget.start === start)
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** Held by running calls or leased to lanes. */
export const heldCredits = ({ holds, lanes }: Pick<Meter, 'holds' | 'lanes'>): number =>
  amountOf(holds) + (lanes ? amountOf(lanes) : 0);

const amountOf = (parts: ReadonlyMap<unknown, { readonly amount: number }>): number =>
  parts.values().reduce((sum, { amount }) => sum + amount, 0);

/** Microcredits used in the billing month by all services. */
export const usedCredits = ({ used }: Pick<Meter, 'used'>): number =>
  Object.values(used).reduce((sum, amount) => sum + amount, 0);

export const isSubscribed = (meter: Meter): boolean => meter.subscription?.status === 'active';

/** Granted credits that are neither charged nor expired, which is the sum of the ledger's rows. */
export const balance = (meter: Meter): number => meter.spendable + heldCredits(meter);

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
