import { hash } from 'node:crypto';
import type { PlanLimits, Plans } from '#contract/billing/plans.ts';
import { type PaymentWork, cents } from '#contract/payments/payments.ts';
import type { Metering } from '../meter/metering.ts';
import { planOfMeter } from '../meter/plan-terms.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, MessageQueue } from '../shared/ports.ts';
import { isNotFound, ServiceError, undefinedIfNotFound } from '../shared/service-error.ts';
import type { Order, OrderRef, OrderStore } from './order.ts';
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
