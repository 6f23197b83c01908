import type { AlertRule, Alerts } from '#contract/alerts/alerts.ts';
import type { changeKinds, PlanName } from '#contract/billing/plans.ts';
import type { ServiceName } from '#contract/billing/prices.ts';
import type { Budget, WorkingKey } from './key-limits.ts';

/** Credits of one source and expiry. Amounts in microcredits; `expiresAt` in epoch seconds. */
export interface Lot {
  /** Unique per account, so that a refund finds the lot even after its expiry has changed. */
  readonly id: number;
  readonly source: 'free' | 'plan' | 'purchase';
  readonly granted: number;
  readonly remaining: number;
  readonly expiresAt: number;
}

/**
 * Credits set aside for a call that is running. `deadline` in epoch seconds: after it the call is surely dead. `delivered` is what
 * a stream, and only a stream, had come to when it last noted that.
 */
export interface Hold {
  readonly amount: number;
  readonly deadline: number;
  readonly service: ServiceName;
  readonly model: string;
  readonly keyId: string;
  readonly delivered?: number;
  /** The budget of a limited key that it was taken from too, in the period that began then. */
  readonly budget?: { readonly id: string; readonly start: number };
}

/** Billing months are counted from `anchor` (epoch seconds); `index` is the current one. */
export interface Period {
  readonly anchor: number;
  readonly index: number;
}

/** Moments in epoch seconds. */
export interface Subscription {
  readonly id: string;
  /** As it was sent. */
  readonly planId: string;
  readonly status: 'active' | 'cancelled';
  /** The plan of the next period, after a downgrade; kept over a cancellation, which may be undone. */
  readonly pending?: { readonly planId: string; readonly planRank: number };
  /** Once cancelled: the end of the paid period and its limits, and of the credits and the subscription. */
  readonly endsAt?: number;
  readonly creditsExpireAt?: number;
  readonly cancellation?: Cancellation;
}

/**
 * State that a resumption restores: the lots with the expiry and spending that they would have without the
 * cancellation.
 */
export interface Cancellation {
  /** The meter's `seq` at the cancellation, which identifies it. */
  readonly seq: number;
  readonly lots: readonly Lot[];
}

/**
 * All data that an admission needs, in one item per account (docs/meter.md). Amounts in microcredits, times in
 * epoch seconds. `lots` contain the credits that were left when they were last settled, in spending order. Later
 * spending is the difference to `spendable` plus open holds, taken from the oldest lots first. So a call updates two
 * numbers and no list.
 */
export interface Meter {
  readonly accountId: number;
  /** Counts everything that ended: each is one ledger row. */
  readonly seq: number;
  /** Set while the account may not call: nothing is admitted. */
  readonly closed?: 'suspended' | 'deleted';
  /** Ids of its webhooks, where it has any: then changes of the meter are looked at for events. */
  readonly webhooks?: ReadonlySet<string>;
  /** By the digest of each key that works. */
  readonly keys: ReadonlyMap<string, WorkingKey>;
  /** Of keys that have a spending limit, by id. */
  readonly budgets: ReadonlyMap<string, Budget>;
  readonly planRank: number;
  /** Limits of the plan, as the deployment enforces them. */
  readonly maxConcurrentCalls: number;
  readonly callsPerMonth: number;
  /** Calls that were charged in the current period, and those that run. */
  readonly callsThisMonth: number;
  /** Calls ever admitted. */
  readonly admitted: number;
  /** `admitted` plus the plan's calls per minute. */
  readonly ceiling: number;
  /** Per 3 s bucket, the ceiling that its first call found. */
  readonly buckets: ReadonlyMap<string, number>;
  readonly spendable: number;
  readonly holds: ReadonlyMap<string, Hold>;
  readonly lots: readonly Lot[];
  /** Number of lots ever granted, which is the id of the latest. */
  readonly lotsGranted: number;
  /** `seq` of the latest cancellation that ended its subscription. */
  readonly endedCancellation?: number;
  /** Settled in the current period. */
  readonly used: Readonly<Partial<Record<ServiceName, number>>>;
  readonly period: Period;
  /** When the account was registered: free months are counted from there. */
  readonly freeAnchor: number;
  /** Index of the latest free month whose credits were granted. */
  readonly freeMonth: number;
  readonly subscription?: Subscription;
  /** The next moment at which a month ends or a lot expires; no call is admitted past it until that is settled. */
  readonly due: number;
  /** Marks of the latest billing changes, newest first: one whose reply was lost is known by its mark when it is tried again. */
  readonly marks?: readonly string[];
  /** Of an account that has chosen its own. */
  readonly alerts?: KeptAlerts;
}

/** What a call that was admitted needs of the meter, until it is settled. */
export type Allowance = Pick<Meter, 'accountId' | 'admitted' | 'ceiling' | 'buckets' | 'spendable' | 'due' | 'budgets'>;

/** A thing that ended, as one ledger row records it. `amount` is signed: what it added to the balance. */
export interface LedgerEntry {
  readonly type: 'grant' | 'charge' | 'refund' | 'expiry' | 'adjustment';
  readonly at: number;
  readonly amount: number;
  readonly service?: ServiceName;
  readonly model?: string;
  readonly keyId?: string;
  readonly requestId?: string;
  /** Of a grant. */
  readonly source?: Lot['source'];
  /** Of what was charged before it was done: that it has ended, and at what cost in microcredits. */
  readonly job?: EndedJob;
  /** For entries that record a subscription change. */
  readonly change?: SubscriptionChange;
}

/** `plan` after the change. `effectiveAt`: epoch seconds, if the change takes effect later. */
export interface SubscriptionChange {
  readonly kind: (typeof changeKinds)[number];
  readonly plan: PlanName;
  readonly effectiveAt?: number;
}

/** A transcription of long audio. `durationSeconds` of one that has a text. */
export interface EndedJob {
  readonly id: string;
  readonly status: string;
  readonly cost: number;
  readonly durationSeconds?: number;
}

/** A rule of alerts as it is kept. `family`: that of its key, where the key was rotated from another. */
export type KeptRule = AlertRule & { readonly family?: string };

export interface KeptAlerts {
  readonly rules: readonly KeptRule[];
  readonly channels: Alerts['channels'];
}

/** What a change of the account's keys was about. Moments in epoch seconds; a key without `previousExpiresAt` ended immediately. */
export type KeyEvent =
  | { readonly type: 'created' | 'revoked'; readonly at: number; readonly keyId: string }
  | {
      readonly type: 'rotated';
      readonly at: number;
      readonly keyId: string;
      readonly previousKeyId: string;
      readonly previousExpiresAt?: number;
    };

/** What running calls hold of a budget in a period. */
export function heldOf({ holds }: Pick<Meter, 'holds'>, { id, start }: NonNullable<Hold['budget']>): number {
  return holds
    .values()
    .filter(({ budget }) => budget?.id === id && budget.start === start)
    .reduce((sum, { amount }) => sum + amount, 0);
}

export const heldCredits = (meter: Meter): number => meter.holds.values().reduce((sum, hold) => sum + hold.amount, 0);

export const isSubscribed = (meter: Meter): boolean => meter.subscription?.status === 'active';

/** Granted and neither charged nor expired: what the ledger's rows add up to. */
export const balance = (meter: Meter): number => meter.spendable + heldCredits(meter);
