import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, currency, flag, integer, metadata, naturalNumber, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, type World } from '../world.ts';
import { setLines } from './invoice-drafts.ts';
import { itemLine } from './invoice-lines.ts';
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
