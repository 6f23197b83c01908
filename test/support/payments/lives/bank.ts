import { ChargeRefused } from '#domain/payments/provider.ts';

/** How the bank responds to each charge of a card. */
export type CardKind = 'accepts' | 'declines' | 'stolen' | 'asks';

export interface OrderTag {
  readonly accountId: number;
  readonly id: string;
}

export interface Customer {
  readonly id: string;
  readonly accountId: number;
  email: string;
  card: { readonly id: string; readonly kind: CardKind } | undefined;
  /** Cents below the provider's minimum, for the next invoice. */
  carried: number;
}

export interface Refund {
  readonly id: string;
  readonly cents: number;
  hasFailed: boolean;
}

export interface Payment {
  readonly id: string;
  readonly customer: string;
  readonly cents: number;
  readonly at: number;
  /** Payments of a page for a pack have the order; others only their invoice. */
  readonly order: OrderTag | undefined;
  invoice: string | undefined;
  readonly refunds: Refund[];
  dispute: { readonly id: string; readonly cents: number; status: 'inquiry' | 'open' | 'won' | 'lost' } | undefined;
}

export interface Period {
  readonly start: number;
  readonly end: number;
}

export interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly reason: 'manual' | 'subscription_create' | 'subscription_cycle';
  readonly createdAt: number;
  readonly order: OrderTag | undefined;
  readonly subscription: string | undefined;
  readonly period: Period | undefined;
  cents: number;
  status: 'draft' | 'open' | 'paid' | 'void';
  /** When the provider finalizes or charges it next. */
  nextAt: number | undefined;
  attempts: number;
  paidAt: number | undefined;
  payment: string | undefined;
}

export interface Subscription {
  readonly id: string;
  readonly customer: string;
  readonly createdAt: number;
  readonly anchor: number;
  readonly order: OrderTag | undefined;
  cents: number;
  endsWithPeriod: boolean;
  isEnded: boolean;
  period: Period;
}

export interface Session {
  readonly id: string;
  readonly customer: string;
  readonly order: OrderTag;
  readonly isPlan: boolean;
  readonly cents: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  status: 'open' | 'complete' | 'expired';
  payment: 'none' | 'processing' | 'paid' | 'failed';
  /** When a payment that is being processed arrives, or fails. */
  processed: { readonly at: number; readonly isPaid: boolean } | undefined;
  intent: string | undefined;
  invoice: string | undefined;
  subscription: string | undefined;
}

export interface BankEvent {
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  readonly at: number;
  isDelivered: boolean;
}

const [hour, day] = [3600, 86_400];
const minimumCents = 50;

/** Calendar months after an anchor in epoch seconds (UTC), on the last day if the month is shorter. */
function monthsLater(anchor: number, months: number): number {
  const from = new Date(anchor * 1000);
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + months);
  const days = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), days));
  return to.getTime() / 1000;
}

/** The end of the month, counted from an anchor, that follows a time. */
function nextTurn(anchor: number, after: number): number {
  let months = 0;
  while (monthsLater(anchor, months) <= after) months += 1;
  return monthsLater(anchor, months);
}

/**
 * The payment provider's own books in memory: charges, refunds and disputes, independent of the service. Times in epoch
 * seconds, money in cents.
 */
export class Bank {
  now: number;
  readonly customers = new Map<string, Customer>();
  readonly cards = new Map<string, CardKind>();
  readonly sessions = new Map<string, Session>();
  readonly invoices = new Map<string, Invoice>();
  readonly payments = new Map<string, Payment>();
  readonly subscriptions = new Map<string, Subscription>();
  /** Keys of requests that credited a customer's balance. */
  readonly credits = new Set<string>();
  readonly warnings = new Map<string, string>();
  readonly events: BankEvent[] = [];
  onEvent: (event: BankEvent) => void = () => undefined;
  #ids = 0;

  constructor(now: number) {
    this.now = now;
  }

  id(prefix: string): string {
    return `${prefix}_${(this.#ids += 1)}`;
  }

  emit(type: string, objectId: string): void {
    const event = { id: this.id('evt'), type, objectId, at: this.now, isDelivered: false };
    this.events.push(event);
    this.onEvent(event);
  }

  nextDue(): number {
    let due = Infinity;
    for (const { nextAt } of this.invoices.values()) due = Math.min(due, nextAt ?? Infinity);
    for (const { isEnded, period } of this.subscriptions.values()) if (!isEnded) due = Math.min(due, period.end);
    for (const { status, expiresAt, processed } of this.sessions.values())
      due = Math.min(due, status === 'open' ? expiresAt : (processed?.at ?? Infinity));
    return due;
  }

  /** Runs all due work until a time, in order. */
  advance(now: number): void {
    for (let due = this.nextDue(); due <= now; due = this.nextDue()) {
      this.now = Math.max(this.now, due);
      for (const one of this.sessions.values()) {
        if (one.status === 'open' && one.expiresAt <= due) this.expire(one);
        if (one.processed && one.processed.at <= due) this.endProcessing(one, one.processed.isPaid);
      }
      for (const one of this.subscriptions.values()) if (!one.isEnded && one.period.end <= due) this.renew(one);
      for (const one of this.invoices.values()) if ((one.nextAt ?? Infinity) <= due) this.collect(one);
    }
    this.now = Math.max(this.now, now);
  }

  expire(session: Session): void {
    session.status = 'expired';
    this.emit('checkout.session.expired', session.id);
  }

  private endProcessing(session: Session, isPaid: boolean): void {
    session.processed = undefined;
    if (isPaid) this.completePack(session);
    else session.payment = 'failed';
    this.emit(`checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`, session.id);
  }

  /** The payment of a page for a pack arrives. */
  completePack(session: Session): void {
    const payment = this.charge(session.customer, session.cents, session.order, undefined);
    const facts = { order: session.order, subscription: undefined, period: undefined };
    const invoice = this.draft(session.customer, 'manual', session.cents, facts);
    Object.assign(invoice, { status: 'paid', paidAt: this.now, payment: payment.id });
    payment.invoice = invoice.id;
    Object.assign(session, { payment: 'paid', intent: payment.id, invoice: invoice.id });
    this.emit('invoice.paid', invoice.id);
  }

  giveCard(customer: Customer, kind: CardKind): { readonly id: string; readonly kind: CardKind } {
    const card = { id: this.id('pm'), kind };
    this.cards.set(card.id, kind);
    customer.card = card;
    return card;
  }

  private renew(subscription: Subscription): void {
    if (subscription.endsWithPeriod) return this.end(subscription);
    const { end: start } = subscription.period;
    subscription.period = { start, end: nextTurn(subscription.anchor, start) };
    const { customer, id, cents, period } = subscription;
    const facts = { subscription: id, period, order: undefined };
    const invoice = this.draft(customer, 'subscription_cycle', cents, facts);
    invoice.nextAt = this.now + hour;
    this.emit('customer.subscription.updated', id);
  }

  /** Stops collecting. Open invoices can still be paid by hand. */
  end(subscription: Subscription): void {
    subscription.isEnded = true;
    for (const invoice of this.invoices.values())
      if (invoice.subscription === subscription.id) invoice.nextAt = undefined;
    this.emit('customer.subscription.deleted', subscription.id);
  }

  /** Finalizes a draft and charges the card, again after 1, 3 and 5 days. */
  private collect(invoice: Invoice): void {
    invoice.status = 'open';
    invoice.nextAt = undefined;
    const { card } = this.customerOf(invoice.customer);
    const refusal = this.pay(invoice, card?.kind ?? 'declines');
    if (!refusal) return;
    const waits = [day, 2 * day, 2 * day];
    const wait = waits[invoice.attempts];
    invoice.attempts += 1;
    if (wait !== undefined) invoice.nextAt = this.now + wait;
    this.emit(refusal === 'action_required' ? 'invoice.payment_action_required' : 'invoice.payment_failed', invoice.id);
  }

  draft(
    customer: string,
    reason: Invoice['reason'],
    cents: number,
    facts: Pick<Invoice, 'order' | 'subscription' | 'period'>,
  ): Invoice {
    const blank = { nextAt: undefined, attempts: 0, paidAt: undefined, payment: undefined } as const;
    const id = this.id('in');
    const invoice: Invoice = { id, customer, reason, createdAt: this.now, cents, status: 'draft', ...facts, ...blank };
    this.invoices.set(id, invoice);
    return invoice;
  }

  /** Pays an invoice. Returns why the bank refused. Sums below the minimum are carried to the next invoice. */
  pay(invoice: Invoice, card: CardKind): ChargeRefused['reason'] | undefined {
    const customer = this.customerOf(invoice.customer);
    const due = invoice.cents + customer.carried;
    if (due >= minimumCents) {
      const refusal = refusalOf(card);
      if (refusal) return refusal;
      invoice.payment = this.charge(customer.id, due, undefined, invoice.id).id;
      customer.carried = 0;
    } else customer.carried = due;
    invoice.status = 'paid';
    invoice.paidAt = this.now;
    invoice.nextAt = undefined;
    this.emit('invoice.paid', invoice.id);
    return undefined;
  }

  charge(customer: string, cents: number, order: OrderTag | undefined, invoice: string | undefined): Payment {
    const id = this.id('pi');
    const payment: Payment = { id, customer, cents, at: this.now, order, invoice, refunds: [], dispute: undefined };
    this.payments.set(id, payment);
    return payment;
  }

  /** Starts a subscription whose first month is charged. `start` for one whose running month is paid already. */
  subscribe(customer: string, cents: number, order: OrderTag | undefined, anchor = this.now): Subscription {
    const subscription: Subscription = {
      id: this.id('sub'),
      customer,
      createdAt: this.now,
      anchor,
      order,
      cents,
      endsWithPeriod: false,
      isEnded: false,
      period: { start: this.now, end: nextTurn(anchor, this.now) },
    };
    this.subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  firstInvoice({ id, customer, cents, period }: Subscription): Invoice {
    const facts = { subscription: id, period, order: undefined };
    return Object.assign(this.draft(customer, 'subscription_create', cents, facts), { status: 'open' });
  }

  /** Refunds part of a payment. Returns the id, or an error code of the provider. */
  refund(payment: Payment, cents: number): Refund | 'charge_already_refunded' | 'charge_disputed' {
    const { dispute } = payment;
    const isWhole = dispute !== undefined && dispute.cents >= payment.cents - refundedOf(payment);
    if (dispute?.status === 'open' || (dispute?.status === 'lost' && isWhole)) return 'charge_disputed';
    if (cents < 1 || cents > payment.cents - refundedOf(payment) - disputedOf(payment))
      return 'charge_already_refunded';
    const refund = { id: this.id('re'), cents, hasFailed: false };
    payment.refunds.push(refund);
    this.emit('refund.created', refund.id);
    return refund;
  }

  /** Decides a dispute. */
  decide(dispute: NonNullable<Payment['dispute']>, status: 'won' | 'lost'): void {
    dispute.status = status;
    if (status === 'won') this.emit('charge.dispute.funds_reinstated', dispute.id);
    this.emit('charge.dispute.closed', dispute.id);
  }

  customerOf(id: string): Customer {
    const customer = this.customers.get(id);
    if (!customer) throw new Error(`there is no customer ${id}`);
    return customer;
  }
}

export const refusalOf = (card: CardKind): ChargeRefused['reason'] | undefined =>
  ({ accepts: undefined, declines: 'declined', stolen: 'hard_decline', asks: 'action_required' } as const)[card];

export const refundedOf = ({ refunds }: Payment): number =>
  refunds.reduce((sum, { cents, hasFailed }) => sum + (hasFailed ? 0 : cents), 0);

export const disputedOf = ({ dispute }: Payment): number =>
  dispute && (dispute.status === 'open' || dispute.status === 'lost') ? dispute.cents : 0;
