import type { Order } from '#domain/payments/order.ts';
import type { EventSubject, PaymentReport } from '#domain/payments/provider.ts';
import { type Bank, disputedOf, type Invoice, type OrderTag, type Payment, refundedOf, type Session } from './bank.ts';

/** The provider's refusal of a request that can never succeed, as its package throws it. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
}

export function found<T>(rows: ReadonlyMap<string, T>, id: string): T {
  const row = rows.get(id);
  if (row === undefined) throw new InvalidRequest(`resource_missing ${id}`);
  return row;
}

/** Reports of the provider about its books. */
export function bankViews(bank: Bank) {
  function invoiceReport(id: string): PaymentReport & { readonly reason: Invoice['reason'] } {
    const invoice = found(bank.invoices, id);
    const payment = invoice.payment === undefined ? undefined : found(bank.payments, invoice.payment);
    return {
      reason: invoice.reason,
      state: invoice.status === 'paid' ? 'paid' : invoice.status === 'void' ? 'failed' : 'open',
      customer: invoice.customer,
      isLive: true,
      currency: 'usd',
      cents: invoice.cents,
      invoice: id,
      ...(invoice.status !== 'draft' && { url: `https://bank.example/${id}` }),
      ...(invoice.subscription !== undefined && { subscription: invoice.subscription }),
      ...(invoice.paidAt !== undefined && { paidAt: invoice.paidAt * 1000 }),
      ...(invoice.period && { period: invoice.period }),
      chargedCents: invoice.cents,
      ...(payment && { balanceCents: Math.max(0, invoice.cents - payment.cents), ...factsOf(payment.id) }),
    };
  }

  function factsOf(id: string) {
    const payment = found(bank.payments, id);
    const [refundedCents, disputedCents] = [refundedOf(payment), disputedOf(payment)];
    return { payment: id, chargedCents: payment.cents, refundedCents, disputedCents };
  }

  function sessionReport(id: string): PaymentReport {
    const session = found(bank.sessions, id);
    const { customer, cents, status, invoice, subscription, intent } = session;
    const base = {
      customer,
      isLive: true,
      currency: 'usd',
      session: id,
      cents,
      ...(invoice !== undefined && { invoice }),
    };
    if (session.payment !== 'paid') {
      const state = status === 'expired' ? 'expired' : session.payment === 'failed' ? 'failed' : 'open';
      return { ...base, state, ...(status === 'open' && { url: `https://bank.example/${id}` }) };
    }
    const report = invoice === undefined ? undefined : invoiceReport(invoice);
    return {
      ...report,
      ...(intent !== undefined && report?.payment === undefined && factsOf(intent)),
      ...base,
      state: 'paid',
      paidAt: report?.paidAt ?? session.createdAt * 1000,
      ...(subscription !== undefined && { subscription }),
    };
  }

  const isOf = (tag: OrderTag | undefined, { id }: Order): boolean => tag?.id === id;
  const tagOfSubscription = (id: string | undefined) =>
    id === undefined ? undefined : bank.subscriptions.get(id)?.order;

  /** Finds the session or invoice that a lost request created. */
  function lookUp(order: Order, customer: string): Order['provider'] {
    const since = Math.floor(order.createdAt / 1000) - 60;
    const isTheirs = (one: Invoice | Session) => one.customer === customer && one.createdAt >= since;
    const invoice = [...bank.invoices.values()].findLast(
      (one) => isTheirs(one) && (isOf(one.order, order) || isOf(tagOfSubscription(one.subscription), order)),
    );
    if (invoice) return { invoice: invoice.id };
    if (order.kind !== 'pack' && order.kind !== 'plan') return {};
    const session = [...bank.sessions.values()].findLast((one) => isTheirs(one) && isOf(one.order, order));
    return session ? { session: session.id } : {};
  }

  function invoiceSubject(id: string): EventSubject | undefined {
    const invoice = bank.invoices.get(id);
    if (!invoice) return undefined;
    const { customer, subscription, reason } = invoice;
    const order = invoice.order ?? (reason === 'subscription_create' ? tagOfSubscription(subscription) : undefined);
    return { customer, invoice: id, ...(order && { order }), ...(subscription !== undefined && { subscription }) };
  }

  function paymentSubject(id: string | undefined): EventSubject | undefined {
    const payment = id === undefined ? undefined : bank.payments.get(id);
    if (!payment) return undefined;
    const { customer, order, invoice } = payment;
    if (order) return { customer, order, payment: payment.id };
    return { customer, ...(invoice !== undefined && invoiceSubject(invoice)), payment: payment.id };
  }

  const paymentWith = (isMeant: (payment: Payment) => boolean) => [...bank.payments.values()].find(isMeant)?.id;

  function subjectOf({
    type,
    objectId,
  }: {
    readonly type: string;
    readonly objectId: string;
  }): EventSubject | undefined {
    if (type.startsWith('checkout.session.')) {
      const { customer, order } = found(bank.sessions, objectId);
      return { customer, session: objectId, order };
    }
    if (type.startsWith('invoice.')) return invoiceSubject(objectId);
    if (type.startsWith('customer.subscription.'))
      return { customer: found(bank.subscriptions, objectId).customer, subscription: objectId };
    if (type.startsWith('refund.'))
      return paymentSubject(paymentWith(({ refunds }) => refunds.some(({ id }) => id === objectId)));
    if (type.startsWith('charge.dispute.'))
      return paymentSubject(paymentWith(({ dispute }) => dispute?.id === objectId));
    const payment = found(bank.payments, bank.warnings.get(objectId) ?? '');
    const subject = paymentSubject(payment.id);
    return subject && { ...subject, isFraudWarning: refundedOf(payment) < payment.cents && !payment.dispute };
  }

  return { invoiceReport, sessionReport, lookUp, subjectOf };
}
