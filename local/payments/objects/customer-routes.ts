import type Stripe from 'stripe';
import * as v from 'valibot';
import { missing, newId } from '../wire/errors.ts';
import { changedMetadata, clearable, integer, isInRange, metadata, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';
import { blankCustomer } from './customers.ts';
import { cancel } from './subscriptions.ts';

const address = v.strictObject({
  city: v.exactOptional(clearable()),
  country: v.exactOptional(clearable()),
  line1: v.exactOptional(clearable()),
  line2: v.exactOptional(clearable()),
  postal_code: v.exactOptional(clearable()),
  state: v.exactOptional(clearable()),
});

const fields = {
  email: v.exactOptional(clearable(512)),
  name: v.exactOptional(clearable(256)),
  description: v.exactOptional(clearable()),
  phone: v.exactOptional(clearable(20)),
  address: v.exactOptional(address),
  balance: v.exactOptional(integer),
  metadata: v.exactOptional(metadata),
  preferred_locales: v.exactOptional(v.array(text())),
  invoice_settings: v.exactOptional(v.strictObject({ default_payment_method: v.exactOptional(clearable()) })),
};

type Changes = v.InferOutput<ReturnType<typeof fieldSchema>>;
const fieldSchema = () => v.strictObject(fields);

function changesOf(world: World, old: Stripe.Customer, params: Changes): Partial<Stripe.Customer> {
  const { address: place, metadata: meta, invoice_settings: settings, ...rest } = params;
  const method = settings?.default_payment_method;
  if (typeof method === 'string') {
    const card = referenced(world, 'payment_method', method, 'invoice_settings[default_payment_method]');
    if (idOf(card.customer) !== old.id)
      throw missing('PaymentMethod', method, 'invoice_settings[default_payment_method]');
  }
  return {
    ...rest,
    ...(place && { address: { ...(old.address ?? noAddress), ...place } }),
    ...(meta !== undefined && { metadata: changedMetadata(old.metadata, meta) }),
    ...(method !== undefined && { invoice_settings: { ...old.invoice_settings, default_payment_method: method } }),
  };
}

const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

export const customerRoutes: readonly Route[] = [
  route('POST', '/v1/customers', { ...fields, payment_method: v.exactOptional(text()) }, ({ world, params }) => {
    const { payment_method: method, ...rest } = params;
    const blank = blankCustomer(world);
    if (method !== undefined) {
      const card = referenced(world, 'payment_method', method, 'payment_method');
      world.save('payment_method', { ...card, customer: blank.id });
    }
    const customer = { ...blank, ...changesOf(world, blank, rest) };
    world.save('customer', customer);
    world.emit('customer.created', customer);
    return customer;
  }),
  route('GET', '/v1/customers/{id}', {}, ({ world, id }) => {
    const deleted = world.find('deleted_customer', id);
    if (deleted) return { id, object: 'customer', deleted: true };
    return required(world, 'customer', id);
  }),
  route('POST', '/v1/customers/{id}', fields, ({ world, id, params }) => {
    const customer = required(world, 'customer', id);
    return update(world, 'customer', customer, changesOf(world, customer, params), 'customer.updated');
  }),
  route(
    'POST',
    '/v1/customers/{id}/balance_transactions',
    { amount: integer, currency: v.literal('usd'), metadata: v.exactOptional(metadata) },
    ({ world, id, params: { amount, currency, metadata: meta } }) => {
      const customer = required(world, 'customer', id);
      const balance = customer.balance + amount;
      update(world, 'customer', customer, { balance }, 'customer.updated');
      const transaction: Stripe.CustomerBalanceTransaction = {
        id: newId('cbtxn'),
        object: 'customer_balance_transaction',
        amount,
        checkout_session: null,
        created: world.at(),
        credit_note: null,
        currency,
        customer: id,
        customer_account: null,
        description: null,
        ending_balance: balance,
        invoice: null,
        livemode: false,
        metadata: changedMetadata({}, meta),
        type: 'adjustment',
      };
      world.save('customer_balance_transaction', transaction);
      return transaction;
    },
  ),
  listRoute('/v1/customers/{id}/balance_transactions', {}, ({ world, id }) =>
    world.all('customer_balance_transaction').filter(({ customer }) => idOf(customer) === id),
  ),
  route('DELETE', '/v1/customers/{id}', {}, ({ world, id }) => {
    const customer = required(world, 'customer', id);
    for (const subscription of world.all('subscription'))
      if (idOf(subscription.customer) === id && subscription.ended_at === null) cancel(world, subscription);
    for (const method of world.all('payment_method'))
      if (idOf(method.customer) === id) world.save('payment_method', { ...method, customer: null });
    for (const item of world.all('invoiceitem'))
      if (idOf(item.customer) === id && item.invoice === null) world.remove('invoiceitem', item.id);
    world.remove('customer', id);
    world.save('deleted_customer', { id, object: 'customer', deleted: true, created: world.at() });
    world.emit('customer.deleted', customer);
    return { id, object: 'customer', deleted: true };
  }),
  listRoute(
    '/v1/customers',
    { email: v.exactOptional(text(512)), created: v.exactOptional(range) },
    ({ world, params: { email, created } }) =>
      world
        .all('customer')
        .filter((one) => (email === undefined || one.email === email) && isInRange(one.created, created)),
  ),
];
