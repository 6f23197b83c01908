import { type PlanLimits, titleOf } from '#contract/billing/plans.ts';
import {
  cents,
  currency,
  type OrderKind,
  type OrderState,
  type topUpFailures,
  type PaymentWork,
} from '#contract/payments/payments.ts';
import { dayMs, hourMs, iso, isoOrNull, minuteMs } from '#contract/shared/time.ts';
import type { PaidPeriod } from '../billing/paid-periods.ts';
import type { LedgerEntry, Meter, Subscription } from '../meter/meter.ts';
import { pastDueSeconds } from '../meter/periods.ts';
import type { Page, MessageQueue } from '../shared/ports.ts';
import { accountBusy } from '../shared/service-error.ts';

/**
 * A payment (docs/payments.md#orders), stored before the request to the payment provider. Times in epoch ms, amounts
 * in cents without taxes, credits in whole credits.
 */
export interface Order {
  readonly accountId: number;
  readonly id: string;
  readonly kind: OrderKind;
  readonly state: OrderState;
  readonly cents: number;
  /** Granted once it is paid. Never derived from a charged amount. */
  readonly credits: number;
  readonly createdAt: number;
  /** Expiry of the checkout page. */
  readonly expiresAt?: number;
  readonly packId?: string;
  /** For plans, upgrades and renewals: the plan's name. */
  readonly planId?: string;
  /** For plans and renewals, once paid: the period in epoch seconds. */
  readonly period?: PaidPeriod;
  /** Terms of an upgrade, as shown to the buyer. */
  readonly upgrade?: UpgradeTerms;
  /** The granted lot, with its expiry in epoch seconds. */
  readonly lot?: { readonly id: number; readonly expiresAt: number };
  readonly provider: ProviderIds;
  /** The checkout or hosted invoice page. */
  readonly url?: string;
  readonly receiptUrl?: string;
  readonly invoiceUrl?: string;
  readonly paidAt?: number;
  readonly failure?: string;
  /** Charged cents, including taxes. Refunds are compared with this. */
  readonly chargedCents?: number;
  /** The part of the price that the customer's balance paid in addition. */
  readonly balanceCents?: number;
  readonly refundedCents?: number;
  readonly disputedCents?: number;
  /** Epoch ms at which the provider last rejected the refund of an order that is not granted. */
  readonly refundRejectedAt?: number;
  /**
   * Microcredits that were taken back, and the rest, which had been spent. A shortfall blocks purchases until an
   * operator clears it.
   */
  readonly taken?: number;
  readonly shortfall?: number;
  /** `seq` of the cancellation that the refund or dispute of an upgrade restored. */
  readonly cancellation?: number;
  /** Version for optimistic locking. Every write increments it. */
  readonly revision: number;
}

/** `anchor` and `index` identify the meter's month, the only one in which the terms apply. */
export interface UpgradeTerms {
  readonly anchor: number;
  readonly index: number;
  readonly fromRank: number;
  readonly credits: number;
  /** Whether a cancelled plan, whose month is running, continues with the upgrade. */
  readonly resumes: boolean;
  /** Terms of the plan's later months. Orders of earlier versions have the current ones. */
  readonly month?: MonthTerms;
  /** Terms of the previous plan, which is restored if the upgrade is refunded. */
  readonly from?: MonthTerms;
  /** Further state of the previous subscription to restore. Set once the upgrade is granted. */
  readonly before?: BeforeUpgrade;
}

export interface BeforeUpgrade extends Pick<Subscription, 'pending'> {
  /** The meter's `seq`. Orders of earlier versions have none. */
  readonly seq?: number;
  readonly isCancelled: boolean;
  /** The meter's `seq` of the cancellation. */
  readonly cancellation?: number;
  readonly isPaid: boolean;
}

/** Price in cents and whole credits of a plan's month. */
export interface MonthTerms {
  readonly cents: number;
  readonly credits: number;
}

export const monthTerms = ({ price, creditsPerMonth }: PlanLimits): MonthTerms => {
  return { cents: cents(price ?? 0), credits: creditsPerMonth ?? 0 };
};

export const isSameMonthTerms = (one: MonthTerms, other: MonthTerms): boolean =>
  one.cents === other.cents && one.credits === other.credits;

/** The plan as it was sold, because its price and credits may have changed since. */
export const asSold = (plan: PlanLimits, sold: MonthTerms | undefined): PlanLimits => {
  if (!sold) return plan;
  const creditsPerMonth = plan.creditsPerMonth === null ? null : sold.credits;
  return { ...plan, price: sold.cents / 100, creditsPerMonth };
};

/** Ids of the payment provider. */
export interface ProviderIds {
  readonly session?: string;
  readonly invoice?: string;
  readonly subscription?: string;
  /** Id of the payment, to which refunds and disputes refer. */
  readonly payment?: string;
}

export interface OrderRef {
  readonly accountId: number;
  readonly id: string;
}

/** Payments of an account. Times in epoch ms. */
export interface BillingProfile {
  readonly accountId: number;
  /** Customer id at the payment provider. */
  readonly customer?: string;
  /** The provider's subscription, which charges the months of the plan. */
  readonly subscription?: string;
  /** The latest subscriptions whose end was recorded, so that a repeated event changes nothing. At most `maxEnded`. */
  readonly ended?: readonly string[];
  /** Set while the provider's subscription may differ from the meter: when to compare them next. */
  readonly alignAt?: number;
  /** Id of the running charge of the saved card. At most one, to prevent double charges. */
  readonly charging?: string;
  readonly chargingSince?: number;
  /** Times of the latest declined charges, at most `maxDeclines`. */
  readonly declines?: readonly number[];
  readonly topUp?: TopUpRule;
  readonly revision: number;
}

/** An automatic purchase (docs/payments.md#automatic-top-up). */
export interface TopUpRule {
  /** Whole credits. */
  readonly threshold: number;
  readonly packId: string;
  /** Cents a month (UTC). */
  readonly monthlyLimit: number;
  readonly state: 'on' | 'off' | 'action_required';
  /** Consecutive declines that a retry can resolve. */
  readonly failures: number;
  readonly retryAt?: number;
  readonly lastFailure?: { readonly reason: TopUpFailure; readonly at: number };
}

export type TopUpFailure = (typeof topUpFailures)[number];

/** Undefined removes a field. */
export type ProfileChange = { readonly [Field in keyof BillingProfile]?: BillingProfile[Field] | undefined };

export interface ChangedMeter {
  readonly before: Meter;
  readonly after: Meter;
  readonly entries: readonly LedgerEntry[];
}

export interface OrderStore {
  /** Returns false if the order exists. */
  add(order: Order): Promise<boolean>;
  find(ref: OrderRef): Promise<Order | undefined>;
  page(accountId: number, query: { readonly limit: number; readonly cursor: string | undefined }): Promise<Page<Order>>;
  /** All orders of all accounts, for bin/reconcile.ts. */
  all(): AsyncGenerator<Order>;
  /** Replaces `before`. Returns undefined if another write came first, otherwise the order as stored. */
  save(before: Order, change: Partial<Order>): Promise<Order | undefined>;
  /** Saves the order and the meter in one transaction. */
  saveWithMeter(
    before: Order,
    change: Partial<Order>,
    meters: ChangedMeter,
  ): Promise<'done' | 'order changed' | 'meter changed'>;
  /** The profile of an account without payments has the revision 0. */
  profile(accountId: number): Promise<BillingProfile>;
  saveProfile(before: BillingProfile, change: ProfileChange): Promise<BillingProfile | undefined>;
  /** Saves the profile and the meter in one transaction. Returns whether neither had changed. */
  saveProfileWithMeter(before: BillingProfile, change: ProfileChange, meters: ChangedMeter): Promise<boolean>;
  /** Also stores which account the customer belongs to. */
  saveCustomer(before: BillingProfile, customer: string): Promise<BillingProfile | undefined>;
  accountOf(customer: string): Promise<number | undefined>;
  /** Removes the provider's links from all orders. Their pages show name and address to everybody with the link. */
  removeLinks(accountId: number): Promise<void>;
  /** Work that is due at `now` (epoch ms): open orders, and accounts to align or to top up. */
  due(now: number): AsyncGenerator<OrderRef | { readonly accountId: number }>;
  /** Returns false if the event was stored before and is finished. */
  receive(event: ReceivedEvent): Promise<boolean>;
  event(id: string): Promise<(ReceivedEvent & { readonly finishedAt?: number }) | undefined>;
  finish(eventId: string, at: number): Promise<void>;
}

/** Identity of a provider's event. Its content is never used: its object is fetched. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  /** Epoch ms. */
  readonly receivedAt: number;
}

/** Why the payment of an order is refunded without a grant. */
const returnReasons = ['account_deleted', 'already_subscribed', 'plan_changed', 'plan_ended', 'plan_repeated'] as const;
export type ReturnReason = (typeof returnReasons)[number];

export const isReturning = (order: Order): order is Order & { readonly failure: ReturnReason } =>
  returnReasons.some((reason) => reason === order.failure);

/** The failure of an order with an early fraud warning. It blocks purchases until an operator clears it. */
export const fraudWarning = 'fraud_warning';

/** Whether an order blocks purchases, because of a shortfall or an early fraud warning. */
export const isOnHold = ({ shortfall = 0, failure }: Order): boolean => shortfall > 0 || failure === fraudWarning;

/** Whether a paid renewal may wait for an earlier month. A fraud warning replaces the failure `gap`. */
export const isWaiting = ({ failure, lot }: Order): boolean =>
  lot === undefined && (failure === 'gap' || failure === fraudWarning);

/** The failure of an order whose payment differs from it, which an operator resolves. */
export const paidDiffers = 'paid_differs';

export const isOpen = ({ state }: Order): boolean => state === 'created' || state === 'action_required';

/** Milliseconds after which an order without an object at the provider is certain never to have one. */
export const lostMs = 5 * minuteMs;

/** Milliseconds in which a buyer can authenticate a payment. */
export const confirmationMs = dayMs;

/** Milliseconds after which a paid order, or one whose page is closed, should have been settled. */
const settledMs = minuteMs;

/** Milliseconds until the sweep requests a rejected refund again. The end of a dispute settles the order earlier. */
const refundRetryMs = hourMs;

/** Epoch ms at which the sweep settles an order that is still open. */
export function dueOf(order: Order): number | undefined {
  const { state, kind, period, createdAt, expiresAt = createdAt, paidAt = createdAt, refundRejectedAt } = order;
  if (state === 'paid') return refundRejectedAt === undefined ? paidAt + settledMs : refundRejectedAt + refundRetryMs;
  if (!isOpen(order) || order.failure === paidDiffers) return undefined;
  // Until then, events and the alignment of an unpaid plan settle a renewal.
  if (kind === 'renewal' && period) return (period.start + pastDueSeconds) * 1000 + settledMs;
  if (state === 'action_required') return createdAt + confirmationMs;
  return order.provider.session === undefined ? createdAt + lostMs : expiresAt + settledMs;
}

/** Title of an order, in checkout, on invoices and in emails. Plans are named by `titleOf`. */
export const creditsTitle = (credits: number): string => `${new Intl.NumberFormat('en-US').format(credits)} credits`;
export const upgradeTitle = (plan: PlanLimits): string => `Upgrade to ${titleOf(plan)}`;

export function paymentView(order: Order) {
  const { id, kind, state, credits, cents, planId, url, receiptUrl, invoiceUrl, createdAt, paidAt } = order;
  const taken = Math.min((order.refundedCents ?? 0) + (order.disputedCents ?? 0), order.chargedCents ?? cents);
  return {
    id,
    kind,
    status: state,
    credits,
    amount: cents,
    currency,
    ...(planId !== undefined && { planId }),
    ...(isOpen(order) && url !== undefined && { url }),
    receiptUrl: receiptUrl ?? null,
    invoiceUrl: invoiceUrl ?? null,
    createdAt: iso(createdAt),
    paidAt: isoOrNull(paidAt),
    refundedAmount: taken,
  } as const;
}

const maxTries = 8;

/** Maximum ended subscriptions recorded in a profile. */
const maxEnded = 8;

/** Repeats a change of the profile after conflicts. `change` returns undefined to leave the profile unchanged. */
export async function changeProfile(
  store: Pick<OrderStore, 'profile' | 'saveProfile'>,
  accountId: number,
  change: (profile: BillingProfile) => ProfileChange | undefined | Promise<ProfileChange | undefined>,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const profile = await store.profile(accountId);
    const changed = await change(profile);
    if (!changed || (await store.saveProfile(profile, changed))) return;
  }
  throw accountBusy();
}

/** Records the end of a subscription, so that it does not cancel a plan. */
export const withEnded = ({ ended = [] }: BillingProfile, id: string): ProfileChange => ({
  ended: [...ended.filter((one) => one !== id), id].slice(-maxEnded),
});

/** Queues payments and accounts that are due at `now` (epoch ms). Returns their number. */
export async function queueDue(
  store: Pick<OrderStore, 'due'>,
  queue: MessageQueue,
  now: number,
  signal: AbortSignal,
): Promise<number> {
  let queued = 0;
  for await (const due of store.due(now)) {
    if (signal.aborted) return queued;
    const work: PaymentWork = 'id' in due ? { do: 'order', ...due } : { do: 'account', ...due };
    await queue.send(work, { group: String(due.accountId) });
    queued += 1;
  }
  return queued;
}
