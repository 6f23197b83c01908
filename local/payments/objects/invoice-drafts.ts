import type Stripe from 'stripe';
import { newId } from '../wire/errors.ts';
import { update, type World } from '../world.ts';

/** Seconds between the draft of a renewal and its payment. */
const draftSeconds = 3600;

export interface NewInvoice {
  readonly customer: Stripe.Customer;
  readonly currency: string;
  readonly billingReason: Stripe.Invoice.BillingReason;
  readonly autoAdvance: boolean;
  readonly description?: string | null;
  readonly metadata?: Record<string, string>;
  readonly defaultMethod?: string | null;
  readonly subscription?: Stripe.Subscription;
  /** The period before, as on Stripe's invoices of subscriptions. */
  readonly period?: { readonly start: number; readonly end: number };
}

/** Saves a draft. */
export function newInvoice(world: World, options: NewInvoice, linesOf: (id: string) => Stripe.InvoiceLineItem[]) {
  const { customer, subscription, period = { start: world.at(), end: world.at() } } = options;
  const id = newId('in');
  const lines = linesOf(id);
  const total = lines.reduce((sum, line) => sum + line.amount, 0);
  const invoice: Stripe.Invoice = {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Local test account',
    account_tax_ids: null,
    ...amounts(total, total),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: options.autoAdvance,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: options.autoAdvance ? world.at() + draftSeconds : null,
    billing_reason: options.billingReason,
    collection_method: 'charge_automatically',
    created: world.at(),
    currency: options.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: options.defaultMethod ?? null,
    default_source: null,
    default_tax_rates: [],
    description: options.description ?? null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: options.metadata ?? {},
    next_payment_attempt: options.autoAdvance ? world.at() + draftSeconds : null,
    number: null,
    on_behalf_of: null,
    parent: subscription
      ? {
          type: 'subscription_details',
          quote_details: null,
          subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
        }
      : null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: customer.balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    test_clock: null,
    total_discount_amounts: [],
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: world.at(),
  };
  world.save('invoice', invoice);
  world.emit('invoice.created', invoice);
  return invoice;
}

/** Fields derived from the total of the lines and the amount due. */
export const amounts = (total: number, due: number) => ({
  amount_due: due,
  amount_remaining: due,
  subtotal: total,
  subtotal_excluding_tax: total,
  total,
  total_excluding_tax: total,
});

/** Replaces the lines of a draft. */
export function setLines(world: World, invoice: Stripe.Invoice, data: Stripe.InvoiceLineItem[]): Stripe.Invoice {
  const total = data.reduce((sum, line) => sum + line.amount, 0);
  return update(
    world,
    'invoice',
    invoice,
    { lines: { ...invoice.lines, data }, ...amounts(total, Math.max(0, total)) },
    'invoice.updated',
  );
}
