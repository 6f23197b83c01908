import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import {
  changedMetadata,
  clearable,
  currency,
  flag,
  integer,
  isInRange,
  metadata,
  naturalNumber,
  oneOf,
  range,
  text,
} from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';
import { itemLine } from './invoice-lines.ts';
import { finalize, markPaid, newInvoice, pay, paymentsOf, setLines, subscriptionOf, voidInvoice } from './invoices.ts';
import { cardOfCustomer } from './payment-methods.ts';
import { cardProblem, needsAction } from './payments.ts';
import { decimalOf, priceData, priceOf } from './prices.ts';
import { idOf } from './types.ts';

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

const invoiceFields = {
  customer: text(),
  auto_advance: v.exactOptional(flag),
  collection_method: v.exactOptional(oneOf(['charge_automatically'])),
  currency: v.exactOptional(currency),
  default_payment_method: v.exactOptional(text()),
  description: v.exactOptional(clearable()),
  footer: v.exactOptional(clearable()),
  metadata: v.exactOptional(metadata),
  pending_invoice_items_behavior: v.exactOptional(oneOf(['include', 'exclude'])),
  automatic_tax: v.exactOptional(v.strictObject({ enabled: v.pipe(flag, v.literal(false)) })),
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

const priceOfItem = (world: World, item: Stripe.InvoiceItem): Stripe.Price | null =>
  world.find('price', idOf(item.pricing?.price_details?.price) ?? '') ?? null;

function createInvoice(world: World, params: v.InferOutput<v.StrictObjectSchema<typeof invoiceFields, undefined>>) {
  const customer = referenced(world, 'customer', params.customer, 'customer');
  const method = params.default_payment_method;
  if (method !== undefined) cardOfCustomer(world, method, customer.id, 'default_payment_method');
  const pending =
    params.pending_invoice_items_behavior === 'include'
      ? world.all('invoiceitem').filter((item) => item.customer === customer.id && item.invoice === null)
      : [];
  const invoice = newInvoice(
    world,
    {
      customer,
      currency: params.currency ?? pending[0]?.currency ?? 'usd',
      billingReason: 'manual',
      autoAdvance: params.auto_advance ?? false,
      description: params.description ?? null,
      metadata: changedMetadata({}, params.metadata),
      defaultMethod: method ?? null,
    },
    (id) => pending.map((item) => itemLine(id, item, priceOfItem(world, item))),
  );
  for (const item of pending) world.save('invoiceitem', { ...item, invoice: invoice.id });
  return invoice;
}

function payRoute(
  world: World,
  id: string,
  params: { off_session?: boolean; payment_method?: string; paid_out_of_band?: boolean },
): Stripe.Invoice {
  const asked = required(world, 'invoice', id, 'invoice');
  if (asked.status === 'paid') throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
  const invoice = asked.status === 'draft' ? finalize(world, asked) : asked;
  if (invoice.status === 'paid') return invoice;
  if (invoice.status !== 'open') throw invalidRequest(`This invoice is ${invoice.status} and can't be paid.`);
  if (params.paid_out_of_band === true) return markPaid(world, invoice);
  const method =
    params.payment_method === undefined
      ? undefined
      : cardOfCustomer(world, params.payment_method, idOf(invoice.customer) ?? '', 'payment_method');
  const result = pay(world, invoice, { offSession: params.off_session ?? true, ...(method && { method }) });
  if (result.is === 'paid') return result.invoice;
  if (result.is === 'no_card')
    throw invalidRequest(
      'Cannot charge customer that has no active card. Attach a payment method and set it as the default.',
      { code: 'missing' },
    );
  const refusal = result.is === 'refused' ? result.refusal : needsAction;
  throw cardProblem(refusal, result.intent, { keepsChanges: true });
}

export const invoiceRoutes: readonly Route[] = [
  route('POST', '/v1/invoices', invoiceFields, ({ world, params }) => createInvoice(world, params)),
  listRoute(
    '/v1/invoices',
    {
      customer: v.exactOptional(text()),
      subscription: v.exactOptional(text()),
      status: v.exactOptional(oneOf(['draft', 'open', 'paid', 'uncollectible', 'void'])),
      created: v.exactOptional(range),
    },
    ({ world, params: { customer, subscription, status, created } }) =>
      world
        .all('invoice')
        .filter(
          (invoice) =>
            (customer === undefined || invoice.customer === customer) &&
            (subscription === undefined || subscriptionOf(invoice) === subscription) &&
            (status === undefined || invoice.status === status) &&
            isInRange(invoice.created, created),
        ),
  ),
  route('GET', '/v1/invoices/{id}', {}, ({ world, id }) => required(world, 'invoice', id, 'invoice')),
  listRoute('/v1/invoices/{id}/lines', {}, ({ world, id }) =>
    required(world, 'invoice', id, 'invoice').lines.data.toReversed(),
  ),
  route(
    'POST',
    '/v1/invoices/{id}',
    {
      auto_advance: v.exactOptional(flag),
      description: v.exactOptional(clearable()),
      metadata: v.exactOptional(metadata),
      default_payment_method: v.exactOptional(text()),
    },
    ({ world, id, params: { metadata: meta, ...changes } }) => {
      const invoice = required(world, 'invoice', id, 'invoice');
      const stored = changedMetadata(invoice.metadata ?? {}, meta);
      return update(world, 'invoice', invoice, { ...changes, metadata: stored }, 'invoice.updated');
    },
  ),
  route('DELETE', '/v1/invoices/{id}', {}, ({ world, id }) => {
    const invoice = required(world, 'invoice', id, 'invoice');
    if (invoice.status !== 'draft') throw invalidRequest('You can only delete draft invoices');
    for (const item of world.all('invoiceitem')) if (item.invoice === id) world.remove('invoiceitem', item.id);
    world.remove('invoice', id);
    world.emit('invoice.deleted', invoice);
    return { id, object: 'invoice', deleted: true };
  }),
  route('POST', '/v1/invoices/{id}/finalize', { auto_advance: v.exactOptional(flag) }, ({ world, id, params }) => {
    const invoice = required(world, 'invoice', id, 'invoice');
    const advances = params.auto_advance ?? invoice.auto_advance ?? false;
    return finalize(world, { ...invoice, auto_advance: advances });
  }),
  route(
    'POST',
    '/v1/invoices/{id}/pay',
    {
      off_session: v.exactOptional(flag),
      payment_method: v.exactOptional(text()),
      paid_out_of_band: v.exactOptional(flag),
    },
    ({ world, id, params }) => payRoute(world, id, params),
  ),
  route('POST', '/v1/invoices/{id}/void', {}, ({ world, id }) =>
    voidInvoice(world, required(world, 'invoice', id, 'invoice')),
  ),
  listRoute(
    '/v1/invoice_payments',
    {
      invoice: v.exactOptional(text()),
      payment: v.exactOptional(v.object({ type: oneOf(['payment_intent']), payment_intent: text() })),
      status: v.exactOptional(oneOf(['open', 'paid', 'canceled'])),
    },
    ({ world, params: { invoice, payment, status } }) =>
      (invoice === undefined ? world.all('invoice_payment') : paymentsOf(world, invoice)).filter(
        (one) =>
          (status === undefined || one.status === status) &&
          (payment === undefined || idOf(one.payment.payment_intent) === payment.payment_intent),
      ),
  ),
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
