import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest } from '../wire/errors.ts';
import { changedMetadata, clearable, currency, flag, isInRange, metadata, oneOf, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';
import { cardOfCustomer } from './cards.ts';
import { newInvoice, priceOfItem } from './invoice-drafts.ts';
import { itemLine } from './invoice-lines.ts';
import { finalize, markPaid, pay, paymentsOf, subscriptionOf, voidInvoice } from './invoices.ts';
import { cardProblem, needsAction } from './payments.ts';

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
  const found = required(world, 'invoice', id, 'invoice');
  if (found.status === 'paid') throw invalidRequest('Invoice is already paid', { code: 'invoice_already_paid' });
  const invoice = found.status === 'draft' ? finalize(world, found) : found;
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
    if (subscriptionOf(invoice) !== null)
      throw invalidRequest('You can not delete an invoice of a subscription: it must be voided.');
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
      payment: v.exactOptional(v.strictObject({ type: oneOf(['payment_intent']), payment_intent: text() })),
      status: v.exactOptional(oneOf(['open', 'paid', 'canceled'])),
    },
    ({ world, params: { invoice, payment, status } }) =>
      (invoice === undefined ? world.all('invoice_payment') : paymentsOf(world, invoice)).filter(
        (one) =>
          (status === undefined || one.status === status) &&
          (payment === undefined || idOf(one.payment.payment_intent) === payment.payment_intent),
      ),
  ),
];
