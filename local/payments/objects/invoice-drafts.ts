import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, currency, flag, integer, metadata, naturalNumber, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';
import { itemLine } from './invoice-lines.ts';
import { decimalOf, priceData, priceOf } from './prices.ts';

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
function setLines(world: World, invoice: Stripe.Invoice, data: Stripe.InvoiceLineItem[]): Stripe.Invoice {
  const total = data.reduce((sum, line) => sum + line.amount, 0);
  return update(
    world,
    'invoice',
    invoice,
    { lines: { ...invoice.lines, data }, ...amounts(total, Math.max(0, total)) },
    'invoice.updated',
  );
}

const itemFields = {
  customer: text(),
  invoice: v.exactOptional(text()),
  amount: v.exactOptional(integer),
  currency: v.exactOptional(currency),
  description: v.exactOptional(text()),
  metadata: v.exactOptional(metadata),
  quantity: v.exactOptional(naturalNumber),
  pricing: v.exactOptional(v.strictObject({ price: text() })),
  price_data: v.exactOptional(v.strictObject(priceData)),
  discountable: v.exactOptional(flag),
  period: v.exactOptional(v.strictObject({ start: naturalNumber, end: naturalNumber })),
};

interface ItemPrice {
  readonly amount: number;
  readonly currency: string;
  readonly price: Stripe.Price | null;
}

type ItemParams = v.InferOutput<v.StrictObjectSchema<typeof itemFields, undefined>>;

function itemPrice(world: World, params: ItemParams): ItemPrice {
  const { amount, currency: code, pricing, price_data: data, quantity = 1 } = params;
  if (amount !== undefined) {
    if (pricing || data)
      throw invalidRequest('You may only specify one of these parameters: amount, pricing, price_data.');
    if (code === undefined)
      throw invalidRequest('Missing required param: currency.', { code: 'parameter_missing', param: 'currency' });
    return { amount, currency: code, price: null };
  }
  const price = priceOf(
    world,
    { ...(pricing && { price: pricing.price }), ...(data && { price_data: data }) },
    'pricing',
  );
  return { amount: (price.unit_amount ?? 0) * quantity, currency: price.currency, price };
}

function createItem(world: World, params: ItemParams): Stripe.InvoiceItem {
  const customer = referenced(world, 'customer', params.customer, 'customer');
  const draft = params.invoice === undefined ? undefined : referenced(world, 'invoice', params.invoice, 'invoice');
  const { amount, currency: code, price } = itemPrice(world, params);
  if (draft && (draft.status !== 'draft' || draft.customer !== customer.id || draft.currency !== code))
    throw invalidRequest('The invoice must be a draft of the same customer and currency.', {
      code: 'invoice_not_editable',
      param: 'invoice',
    });
  const { start = world.at(), end = world.at() } = params.period ?? {};
  const quantity = params.quantity ?? 1;
  const item: Stripe.InvoiceItem = {
    id: newId('ii'),
    object: 'invoiceitem',
    amount,
    currency: code,
    customer: customer.id,
    customer_account: null,
    date: world.at(),
    description: params.description ?? (price && (world.find('product', idOf(price.product) ?? '')?.name ?? null)),
    discountable: params.discountable ?? true,
    discounts: [],
    invoice: draft?.id ?? null,
    livemode: false,
    metadata: changedMetadata({}, params.metadata),
    parent: null,
    period: { start, end },
    pricing: price && {
      type: 'price_details',
      price_details: { price: price.id, product: idOf(price.product) ?? '' },
      unit_amount_decimal: decimalOf(price.unit_amount ?? 0),
    },
    proration: false,
    quantity,
    quantity_decimal: decimalOf(quantity),
    tax_rates: [],
    test_clock: null,
  };
  world.save('invoiceitem', item);
  world.emit('invoiceitem.created', item);
  if (draft) setLines(world, draft, [...draft.lines.data, itemLine(draft.id, item, price)]);
  return item;
}

export const priceOfItem = (world: World, item: Stripe.InvoiceItem): Stripe.Price | null =>
  world.find('price', idOf(item.pricing?.price_details?.price) ?? '') ?? null;

export const invoiceItemRoutes: readonly Route[] = [
  route('POST', '/v1/invoiceitems', itemFields, ({ world, params }) => createItem(world, params)),
  route('GET', '/v1/invoiceitems/{id}', {}, ({ world, id }) => required(world, 'invoiceitem', id, 'invoiceitem')),
  listRoute(
    '/v1/invoiceitems',
    { customer: v.exactOptional(text()), invoice: v.exactOptional(text()), pending: v.exactOptional(flag) },
    ({ world, params: { customer, invoice, pending } }) =>
      world
        .all('invoiceitem')
        .filter(
          (item) =>
            (customer === undefined || item.customer === customer) &&
            (invoice === undefined || item.invoice === invoice) &&
            (pending === undefined || (item.invoice === null) === pending),
        ),
  ),
  route('DELETE', '/v1/invoiceitems/{id}', {}, ({ world, id }) => {
    const item = required(world, 'invoiceitem', id, 'invoiceitem');
    const invoice = world.find('invoice', idOf(item.invoice) ?? '');
    if (invoice && invoice.status !== 'draft')
      throw invalidRequest('You cannot delete an invoice item of a finalized invoice.');
    if (invoice)
      setLines(
        world,
        invoice,
        invoice.lines.data.filter((line) => line.parent?.invoice_item_details?.invoice_item !== id),
      );
    world.remove('invoiceitem', id);
    world.emit('invoiceitem.deleted', item);
    return { id, object: 'invoiceitem', deleted: true };
  }),
];
