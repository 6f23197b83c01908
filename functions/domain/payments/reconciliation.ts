import { dayMs } from '#contract/shared/time.ts';
import type { Clock } from '../shared/ports.ts';
import { isNotFound } from '../shared/service-error.ts';
import type { paymentEvents } from './events.ts';
import { isOpen, type Order, type OrderStore, paidDiffers } from './order.ts';
import type { PaymentProvider } from './provider.ts';
import type { Settlement } from './settlement.ts';

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
