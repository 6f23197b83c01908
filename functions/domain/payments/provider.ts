import type { PaidPeriod } from '../billing/paid-periods.ts';
import type { Order, ProviderIds } from './order.ts';

/** State of an order's payment at the provider. Amounts in cents, times in epoch ms. */
export interface PaymentReport extends ProviderIds {
  readonly state: 'open' | 'paid' | 'failed' | 'expired' | 'action_required';
  /** Compared with the order before anything is granted. `cents` is without taxes. */
  readonly customer: string;
  readonly isLive: boolean;
  readonly currency: string;
  readonly cents: number;
  /** The checkout or hosted invoice page. */
  readonly url?: string;
  readonly failure?: string;
  readonly paidAt?: number;
  /** Charged amount, including taxes. */
  readonly chargedCents?: number;
  /** The part of a charged invoice that the customer's balance paid. */
  readonly balanceCents?: number;
  readonly refundedCents?: number;
  readonly disputedCents?: number;
  readonly receiptUrl?: string;
  readonly invoiceUrl?: string;
  /** The paid period of a plan, from the provider's subscription. */
  readonly period?: PaidPeriod;
}

export interface Buyer {
  readonly customer: string;
  /** The saved card. */
  readonly card: SavedCard;
}

export interface SavedCard {
  readonly id: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** The provider's subscription. `cents`: its charge for the next period. */
export interface CollectedPlan {
  readonly id: string;
  readonly customer: string;
  readonly isEnded: boolean;
  readonly cents: number;
  readonly endsWithPeriod: boolean;
  readonly period: PaidPeriod;
  /** The invoice of the current period while it can be changed: for about an hour after the period begins. */
  readonly draft?: { readonly invoice: string; readonly cents: number };
}

/** A verified event: only its identity. */
export interface SignedEvent {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  readonly isLive: boolean;
}

/** Subject of an event or list entry: an order, from its metadata, or the subscription of a renewal. */
export interface EventSubject {
  readonly customer: string | undefined;
  readonly order?: { readonly accountId: number; readonly id: string };
  readonly subscription?: string;
  /** For a renewal: the invoice, with the subscription above. */
  readonly invoice?: string;
  /** For refunds and disputes: the payment. */
  readonly payment?: string;
  readonly session?: string;
  readonly isFraudWarning?: boolean;
}

/**
 * Port of the payment provider. Every request that creates an object or a charge has an idempotency key of order
 * and step. Throws `ProviderUnavailable` if it is unknown whether a request had an effect, and
 * `ChargeRefused` if it had none.
 */
export interface PaymentProvider {
  readonly isLive: () => Promise<boolean>;
  /** `earlier`: the deleted customer that it replaces. */
  createCustomer(accountId: number, email: string, earlier?: string): Promise<string>;
  /** Returns false for a customer that was deleted. */
  hasCustomer(customer: string): Promise<boolean>;
  /** Has no effect if the customer does not exist. */
  setEmail(customer: string, email: string): Promise<void>;
  /** Also deletes its saved cards. Payments and invoices remain. Has no effect if it was deleted before. */
  deleteCustomer(customer: string): Promise<void>;
  openCheckout(order: Order, request: CheckoutRequest): Promise<{ readonly session: string; readonly url: string }>;
  savedCard(customer: string): Promise<SavedCard | undefined>;
  /** Creates a subscription with the saved card, and charges the first month. */
  startPlan(order: Order, buyer: Buyer, title: string): Promise<ProviderIds>;
  /** Charges a one-off invoice. */
  chargeInvoice(order: Order, buyer: Buyer, title: string): Promise<ProviderIds>;
  /** Voids an unpaid invoice, or deletes its draft. */
  cancelCharge(invoice: string): Promise<void>;
  /** Looks for the created objects if the order has no ids. Undefined if none exist. */
  report(order: Order, customer: string): Promise<PaymentReport | undefined>;
  /** The invoice of a renewal, in the same form as its order's report. Undefined for any other invoice. */
  renewal(invoice: string): Promise<(PaymentReport & { readonly subscription: string }) | undefined>;
  plan(subscription: string): Promise<CollectedPlan | undefined>;
  /** Changes the amount of the draft. */
  changeDraft(plan: CollectedPlan, cents: number, title: string): Promise<void>;
  /** Creates a subscription for a plan whose current month is paid. Returns its id. */
  collectFrom(start: CollectionStart, buyer: Buyer, title: string, key: string): Promise<string>;
  /** Subscriptions of a customer that are not cancelled. `createdAt` in epoch ms. */
  runningPlans(customer: string): Promise<readonly { readonly id: string; readonly createdAt: number }[]>;
  /** Expires the open checkouts of a customer. */
  expireCheckouts(customer: string): Promise<void>;
  setPrice(subscription: string, cents: number, title: string): Promise<void>;
  endWithPeriod(subscription: string, ends: boolean): Promise<void>;
  /** Cancels it now, and voids its open invoices. Has no effect if it was cancelled. */
  stop(subscription: string): Promise<void>;
  /** Returns false if a dispute prevents it. */
  refund(payment: string, cents: number, key: string): Promise<boolean>;
  /** Credits the customer's balance for an invoice that was carried to the next one instead of being charged. */
  creditBalance(customer: string, cents: number, key: string): Promise<void>;
  portal(customer: string, returnUrl: string): Promise<string>;
  /** Throws `ForgedEvent` unless the bytes are signed, recent and of this mode. */
  readEvent(bytes: Uint8Array, signature: string, now: number): Promise<SignedEvent>;
  /** Fetches the subject of an event. Undefined if it has none. */
  subjectOf(event: Pick<SignedEvent, 'type' | 'objectId'>): Promise<EventSubject | undefined>;
  /** Newest first. */
  paidInvoicesOf(subscription: string): AsyncIterable<string>;
  /** For the daily comparison: paid objects, and undelivered events. `at` in epoch ms. */
  invoicesSince(at: number): AsyncIterable<string>;
  sessionsSince(at: number): AsyncIterable<string>;
  undeliveredSince(at: number): AsyncIterable<SignedEvent>;
}

/** `anchor`: epoch seconds. Months are counted from it, as the meter counts them. */
export interface CollectionStart {
  readonly accountId: number;
  readonly anchor: number;
  readonly cents: number;
}

export interface CheckoutRequest {
  readonly customer: string;
  readonly title: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export class ForgedEvent extends Error {
  override readonly name = 'ForgedEvent';
}

export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

export type RefusalReason = 'declined' | 'hard_decline' | 'action_required';

/** The bank refused a charge. `ids` and `url`: the created objects, and the page to authenticate the payment. */
export class ChargeRefused extends Error {
  override readonly name = 'ChargeRefused';
  readonly reason: RefusalReason;
  readonly ids: ProviderIds;
  readonly url: string | undefined;

  constructor(reason: RefusalReason, { ids = {}, url }: { ids?: ProviderIds; url?: string | undefined } = {}) {
    super(reason);
    this.reason = reason;
    this.ids = ids;
    this.url = url;
  }
}
