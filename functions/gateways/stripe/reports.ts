import type Stripe from 'stripe';
import type { Order, ProviderIds } from '#domain/payments/order.ts';
import type { PaymentProvider, PaymentReport } from '#domain/payments/provider.ts';
import { idOf, priceOf, type StripeClient, undefinedIfMissing } from './client.ts';

/** Seconds by which Stripe's clock may differ from ours. */
const clockSkew = 60;

type Reports = Pick<PaymentProvider, 'report' | 'renewal' | 'paidInvoicesOf' | 'invoicesSince' | 'sessionsSince'>;

/** Reads payments, invoices and checkout sessions from Stripe, in the form in which orders store them. */
export function paymentReports({ stripe, call }: StripeClient): Reports {
  async function paymentFacts(payment: string | undefined) {
    if (payment === undefined) return {};
    const { latest_charge: charge } = await call((stripe) =>
      stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] }),
    );
    if (!charge || typeof charge === 'string') return { payment };
    const disputes = charge.disputed
      ? await call((stripe) => stripe.disputes.list({ payment_intent: payment }))
      : undefined;
    const taken = disputes?.data.filter(isWithdrawn) ?? [];
    return {
      payment,
      chargedCents: charge.amount_captured,
      refundedCents: charge.amount_refunded,
      disputedCents: taken.reduce((sum, { amount }) => sum + amount, 0),
      ...(charge.receipt_url !== null && { receiptUrl: charge.receipt_url }),
    };
  }

  async function invoiceReport(id: string): Promise<PaymentReport & { readonly reason: string | null }> {
    const invoice = await call((stripe) => stripe.invoices.retrieve(id, { expand: ['payments'] }));
    const [paid] = invoice.payments?.data.filter(({ status }) => status === 'paid') ?? [];
    const { hosted_invoice_url: url, invoice_pdf: pdf, status } = invoice;
    const line = invoice.lines.data.find(({ parent }) => parent?.type === 'subscription_item_details');
    const subscription = invoice.parent?.subscription_details?.subscription;
    const paidAt = invoice.status_transitions.paid_at;
    const payment = idOf(paid?.payment.payment_intent);
    const balanceCents = (invoice.ending_balance ?? invoice.starting_balance) - invoice.starting_balance;
    return {
      reason: invoice.billing_reason,
      state: status === 'paid' ? 'paid' : status === 'void' || status === 'uncollectible' ? 'failed' : 'open',
      customer: idOf(invoice.customer) ?? '',
      isLive: invoice.livemode,
      currency: invoice.currency,
      cents: priceOf(invoice),
      invoice: invoice.id,
      ...(subscription && { subscription: idOf(subscription) ?? '' }),
      ...(url && { url }),
      ...(pdf ? { invoiceUrl: pdf } : url ? { invoiceUrl: url } : {}),
      ...(paidAt && { paidAt: paidAt * 1000 }),
      ...(subscription && line && { period: { start: line.period.start, end: line.period.end } }),
      chargedCents: invoice.total,
      ...(payment !== undefined && balanceCents > 0 && { balanceCents }),
      ...(status === 'paid' && (await paymentFacts(payment))),
    };
  }

  async function sessionReport(id: string): Promise<PaymentReport> {
    const session = await call((stripe) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['line_items', 'payment_intent'] }),
    );
    const [line, second] = session.line_items?.data ?? [];
    const invoice = idOf(session.invoice);
    const isComplete = session.status === 'complete';
    const report = isComplete && invoice !== undefined ? await invoiceReport(invoice) : undefined;
    // The balance of the customer can pay for a plan. Then no payment is required, but the invoice is paid.
    const isCovered = session.payment_status === 'no_payment_required' && report?.state === 'paid';
    const isPaid = isComplete && (session.payment_status === 'paid' || isCovered);
    const facts = {
      customer: idOf(session.customer) ?? '',
      isLive: session.livemode,
      currency: session.currency ?? '',
      session: session.id,
      // The price of the line, because the total may include taxes.
      cents: second || line?.quantity !== 1 ? -1 : (line.price?.unit_amount ?? -1),
      ...(session.url !== null && { url: session.url }),
      ...(invoice !== undefined && { invoice }),
    };
    if (!isPaid)
      return { ...facts, state: session.status === 'expired' ? 'expired' : hasFailed(session) ? 'failed' : 'open' };
    const payment = idOf(session.payment_intent);
    return {
      ...report,
      ...(payment !== undefined && report?.payment === undefined && (await paymentFacts(payment))),
      ...facts,
      state: 'paid',
      paidAt: report?.paidAt ?? session.created * 1000,
      ...(session.mode === 'subscription' && { subscription: idOf(session.subscription) ?? '' }),
    };
  }

  /** Finds the objects that a request created whose response was lost. */
  async function lookUp({ id, createdAt, kind }: Order, customer: string): Promise<ProviderIds> {
    const created = { gte: Math.floor(createdAt / 1000) - clockSkew };
    const invoices = await call((stripe) => stripe.invoices.list({ customer, created, limit: 100 }));
    const invoice = invoices.data.find(({ metadata, parent }) => {
      return metadata?.['order'] === id || parent?.subscription_details?.metadata?.['order'] === id;
    });
    if (invoice?.id) return { invoice: invoice.id };
    if (kind !== 'pack' && kind !== 'plan') return {};
    const sessions = await call((stripe) => stripe.checkout.sessions.list({ customer, created, limit: 100 }));
    const session = sessions.data.find(({ metadata }) => metadata?.['order'] === id);
    return session ? { session: session.id } : {};
  }

  return {
    async report(order, customer) {
      const known = order.provider.session ?? order.provider.invoice;
      const ids = known === undefined ? await lookUp(order, customer) : order.provider;
      if (ids.session !== undefined) return sessionReport(ids.session);
      // An invoice that was cancelled as a draft does not exist any more.
      return ids.invoice === undefined ? undefined : invoiceReport(ids.invoice).catch(undefinedIfMissing);
    },
    async renewal(invoice) {
      const { reason, subscription, ...report } = await invoiceReport(invoice);
      return reason === 'subscription_cycle' && subscription !== undefined ? { ...report, subscription } : undefined;
    },
    async *paidInvoicesOf(subscription) {
      const client = await stripe();
      for await (const { id } of client.invoices.list({ subscription, status: 'paid', limit: 10 })) if (id) yield id;
    },
    async *invoicesSince(at) {
      const client = await stripe();
      const created = { gte: Math.floor(at / 1000) };
      for await (const { id } of client.invoices.list({ created, status: 'paid', limit: 100 })) if (id) yield id;
    },
    async *sessionsSince(at) {
      const client = await stripe();
      const created = { gte: Math.floor(at / 1000) };
      for await (const { id, mode } of client.checkout.sessions.list({ created, status: 'complete', limit: 100 }))
        if (mode !== 'setup') yield id;
    },
  };
}

/**
 * Whether Stripe has withdrawn the amount of a dispute, including one that is appealed or has an unknown status.
 * Inquiries (`warning_…`) withdraw nothing. A prevented dispute either was blocked or has returned the money.
 */
function isWithdrawn({ status, balance_transactions: moved }: Stripe.Dispute): boolean {
  if (status === 'prevented') return moved.reduce((sum, { amount }) => sum + amount, 0) < 0;
  return status !== 'won' && !status.startsWith('warning_');
}

/** Whether a payment that was still processing at the end of checkout has failed. */
function hasFailed({ status, payment_intent: payment }: Stripe.Checkout.Session): boolean {
  if (status !== 'complete' || !payment || typeof payment === 'string') return false;
  return payment.status === 'requires_payment_method' || payment.status === 'canceled';
}
