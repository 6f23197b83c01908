import { hash } from 'node:crypto';
import type { PlanLimits, Plans } from '#contract/billing/plans.ts';
import { type PaymentWork, cents } from '#contract/payments/payments.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { Metering } from '../meter/metering.ts';
import { planOfMeter } from '../meter/periods.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, MessageQueue } from '../shared/ports.ts';
import { isNotFound, ServiceError, undefinedIfNotFound } from '../shared/service-error.ts';
import { type Order, type OrderRef, type OrderStore, isOpen, paidDiffers } from './order.ts';
import { type EventSubject, ForgedEvent, type PaymentProvider, type PaymentReport } from './provider.ts';
import type { Settlement } from './settlement.ts';

export interface EventParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly settlement: Settlement;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly align: (accountId: number) => Promise<void>;
  readonly queue: () => Promise<MessageQueue>;
  readonly clock: Clock;
  readonly onRenewalFailed: (accountId: number, plan: PlanLimits, report: PaymentReport) => Promise<void>;
  /** Events whose metadata names an order that does not exist or belongs to another account, for the alarm. */
  readonly onForeign: (eventId: string, reason: string) => void;
}

/**
 * Stores and queues the provider's events, and settles their orders from the fetched objects (docs/payments.md#events).
 */
export function paymentEvents(parts: EventParts) {
  const { store, provider, settlement, metering, plans, align, queue, clock, onForeign, onRenewalFailed } = parts;

  /** Throws 400 for an unsigned event. A failure to store it returns 5xx, so that the provider retries it. */
  async function receive(bytes: Uint8Array, signature: string): Promise<void> {
    const now = clock.now();
    const { isLive: _mode, ...event } = await provider.readEvent(bytes, signature, now).catch((error: unknown) => {
      if (!(error instanceof ForgedEvent)) throw error;
      throw new ServiceError(
        'INVALID_FORMAT',
        'The body must be an event that Stripe signed within the last 5 minutes.',
      );
    });
    const isNew = await store.receive({ ...event, receivedAt: now });
    if (isNew) await (await queue()).send({ do: 'event', id: event.id } satisfies PaymentWork);
  }

  async function handle(id: string): Promise<void> {
    const event = await store.event(id);
    if (!event || event.finishedAt !== undefined) return;
    const subject = await provider.subjectOf(event);
    if (subject) await handleSubject(id, event.type, subject);
    await store.finish(id, clock.now());
  }

  async function handleSubject(id: string, type: string, subject: EventSubject): Promise<void> {
    const { customer, order, invoice, subscription } = subject;
    const accountId = customer === undefined ? undefined : await store.accountOf(customer);
    if (accountId === undefined) {
      if (order) onForeign(id, 'the customer is unknown');
      return;
    }
    if (order) {
      if (order.accountId !== accountId) return onForeign(id, 'the customer belongs to another account');
      await settleFound(id, order, subject);
      if (subject.isFraudWarning === true) await settlement.returnFraud(order);
      return;
    }
    if (invoice !== undefined && subscription !== undefined) {
      const renewal = await settleRenewal(accountId, invoice);
      if (renewal && subject.isFraudWarning === true) await settlement.returnFraud(renewal);
      if (failedTypes.has(type)) await notifyOfFailure(accountId, invoice);
    }
    if (type === 'customer.subscription.deleted' && subscription !== undefined) {
      const profile = await store.profile(accountId);
      if (profile.subscription === subscription && !profile.ended?.includes(subscription)) await align(accountId);
    }
  }

  async function settleFound(eventId: string, ref: OrderRef, { session, invoice }: EventSubject): Promise<void> {
    const found = { ...(session !== undefined && { session }), ...(invoice !== undefined && { invoice }) };
    try {
      await settlement.settle(ref, found);
    } catch (error) {
      if (isNotFound(error)) onForeign(eventId, 'the order does not exist');
      throw error;
    }
  }

  /**
   * The provider charges renewals, so their orders are written when their invoices are seen. Returns undefined for any
   * other invoice.
   */
  async function settleRenewal(accountId: number, invoice: string): Promise<Order | undefined> {
    const report = await provider.renewal(invoice);
    if (!report?.period) return undefined;
    const id = renewalId(report.period.start, invoice);
    if (!(await store.find({ accountId, id }))) {
      const meter = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
      const plan = meter && planOfMeter(meter, plans);
      const { subscription } = await store.profile(accountId);
      const isOurs =
        subscription === report.subscription &&
        meter?.subscription?.status === 'active' &&
        (meter.subscription.paidUntil ?? Number.POSITIVE_INFINITY) < report.period.end;
      await store.add({
        accountId,
        id,
        kind: 'renewal',
        state: 'created',
        // If the plan has ended or the month is paid, the payment is refunded, whatever its amount.
        cents: isOurs && plan ? cents(plan.price ?? 0) : report.cents,
        credits: plan?.creditsPerMonth ?? 0,
        createdAt: clock.now(),
        planId: plan?.name ?? '',
        period: report.period,
        provider: { invoice, subscription: report.subscription },
        revision: 1,
      });
    }
    return settlement.settle({ accountId, id });
  }

  async function notifyOfFailure(accountId: number, invoice: string): Promise<void> {
    const report = await provider.renewal(invoice);
    const meter = await metering.current(accountId, clock.now()).catch(undefinedIfNotFound);
    if (report?.state !== 'open' || meter?.subscription?.unpaidSince === undefined) return;
    await onRenewalFailed(accountId, planOfMeter(meter, plans), report);
  }

  /** Settles renewals whose events were lost. */
  async function settleRenewals(accountId: number): Promise<void> {
    const { subscription } = await store.profile(accountId);
    const meter = await metering.find(accountId);
    if (subscription === undefined || meter?.subscription?.unpaidSince === undefined) return;
    for await (const invoice of provider.paidInvoicesOf(subscription)) {
      const renewal = await settleRenewal(accountId, invoice);
      if (!renewal || renewal.state !== 'granted') return;
      const after = await metering.find(accountId);
      if (after?.subscription?.unpaidSince === undefined) return;
    }
  }

  return { receive, handle, settleRenewal, settleRenewals };
}

const failedTypes: ReadonlySet<string> = new Set(['invoice.payment_failed', 'invoice.payment_action_required']);

/** Derived from the invoice, so that each renewal has one order. */
const renewalId = (start: number, invoice: string): string =>
  timedId('ord', start * 1000, { bytes: (size) => hash('sha256', invoice, 'buffer').subarray(0, size) });

/** Milliseconds that the daily comparison covers. Stripe retries an event for three days. */
const comparedMs = 4 * dayMs;

export interface Difference {
  /** Our order, or the provider's id if there is none. */
  readonly id: string;
  readonly problem: string;
}

export interface Reconciled {
  readonly payments: number;
  readonly differences: readonly Difference[];
}

export interface ReconciliationParts {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly settlement: Settlement;
  readonly events: ReturnType<typeof paymentEvents>;
  readonly clock: Clock;
}

/** Compares payments with credits in both directions, and settles overdue orders (docs/payments.md#reconciliation). */
export function reconciliation({ store, provider, settlement, events, clock }: ReconciliationParts) {
  /** Compares payments at the provider since a time in epoch ms. Handles undelivered events first. */
  async function fromProvider(since = clock.now() - comparedMs, signal?: AbortSignal): Promise<Reconciled> {
    const differences: Difference[] = [];
    let payments = 0;
    for await (const event of provider.undeliveredSince(since)) {
      if (signal?.aborted) return { payments, differences };
      const { isLive: _mode, ...received } = event;
      if (!(await store.receive({ ...received, receivedAt: clock.now() }))) continue;
      const problem = await events.handle(event.id).then(() => undefined, problemOfEvent);
      if (problem !== undefined) differences.push({ id: event.id, problem });
    }
    const found = [
      { ids: provider.sessionsSince(since), type: 'checkout.session.completed' },
      { ids: provider.invoicesSince(since), type: 'invoice.paid' },
    ];
    for (const { ids, type } of found) {
      for await (const id of ids) {
        if (signal?.aborted) return { payments, differences };
        payments += 1;
        const problem = await problemOf(id, type);
        if (problem !== undefined) differences.push({ id, problem });
      }
    }
    return { payments, differences };
  }

  async function problemOf(id: string, type: string): Promise<string | undefined> {
    try {
      const subject = await provider.subjectOf({ type, objectId: id });
      const { customer, order: ref, invoice, subscription, session } = subject ?? {};
      const accountId = customer === undefined ? undefined : await store.accountOf(customer);
      if (accountId === undefined) return 'the customer is unknown';
      if (ref) {
        if (ref.accountId !== accountId) return 'the customer belongs to another account';
        return unlessComplete(await settlement.settle(ref, session === undefined ? { invoice: id } : { session }));
      }
      if (invoice === undefined || subscription === undefined) return 'it belongs to no order';
      const renewal = await events.settleRenewal(accountId, invoice);
      return renewal ? unlessComplete(renewal) : undefined;
    } catch (error) {
      return isNotFound(error) ? 'its order does not exist' : 'it could not be compared';
    }
  }

  /** Compares orders: each granted one must be paid at the provider. */
  async function fromOrders(signal?: AbortSignal): Promise<Reconciled> {
    const differences: Difference[] = [];
    let payments = 0;
    for await (const order of store.all()) {
      if (signal?.aborted) break;
      if (order.paidAt === undefined && !isOpen(order)) continue;
      payments += 1;
      const problem = await problemOfOrder(order).catch(() => 'it could not be compared');
      if (problem !== undefined) differences.push({ id: order.id, problem });
    }
    return { payments, differences };
  }

  async function problemOfOrder(order: Order): Promise<string | undefined> {
    const settled = await settlement.settle(order);
    const { customer = '' } = await store.profile(order.accountId);
    const report = settled.paidAt === undefined ? undefined : await provider.report(settled, customer);
    const isUnpaid = settled.paidAt !== undefined && report?.state !== 'paid';
    return isUnpaid ? 'granted, but not paid at the provider' : unlessComplete(settled);
  }

  return { fromProvider, fromOrders };
}

/** The comparison of payments reports a missing order. */
const problemOfEvent = (error: unknown): string | undefined =>
  isNotFound(error) ? undefined : 'the event could not be handled';

function unlessComplete({ state, failure, paidAt }: Order): string | undefined {
  if (paidAt === undefined) return failure === paidDiffers ? 'the payment differs from the order' : undefined;
  return state === 'paid' ? `paid, but not granted: ${failure ?? 'unknown reason'}` : undefined;
}
