import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest } from '../wire/errors.ts';
import {
  changedMetadata,
  clearable,
  flag,
  isInRange,
  metadata,
  naturalNumber,
  oneOf,
  range,
  text,
} from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';
import { cardOfCustomer } from './cards.ts';
import { defaultMethodOf } from './customers.ts';
import { pay } from './invoices.ts';
import { cardProblem, needsAction } from './payments.ts';
import { priceOf, recurringPriceData } from './prices.ts';
import { cancel, itemOf, planOf, recurrenceOf, startSubscription } from './subscriptions.ts';

const newItem = v.strictObject({
  price: v.exactOptional(text()),
  price_data: v.exactOptional(v.strictObject(recurringPriceData)),
  quantity: v.exactOptional(naturalNumber),
  metadata: v.exactOptional(metadata),
});
const changedItem = v.strictObject({ ...newItem.entries, id: v.exactOptional(text()) });

const createFields = {
  customer: text(),
  items: v.pipe(v.array(newItem), v.minLength(1), v.maxLength(1, 'parameter_invalid: This server allows one item.')),
  default_payment_method: v.exactOptional(text()),
  payment_behavior: v.exactOptional(oneOf(['allow_incomplete', 'default_incomplete', 'error_if_incomplete'])),
  off_session: v.exactOptional(flag),
  metadata: v.exactOptional(metadata),
  description: v.exactOptional(clearable(500)),
  collection_method: v.exactOptional(oneOf(['charge_automatically'])),
  proration_behavior: v.exactOptional(oneOf(['none', 'create_prorations'])),
  currency: v.exactOptional(text()),
  billing_cycle_anchor_config: v.exactOptional(
    v.strictObject({ day_of_month: naturalNumber, hour: naturalNumber, minute: naturalNumber, second: naturalNumber }),
  ),
};

const updateFields = {
  items: v.exactOptional(
    v.pipe(v.array(changedItem), v.maxLength(1, 'parameter_invalid: This server allows one item.')),
  ),
  cancel_at_period_end: v.exactOptional(flag),
  default_payment_method: v.exactOptional(clearable()),
  metadata: v.exactOptional(metadata),
  description: v.exactOptional(clearable(500)),
  proration_behavior: v.exactOptional(oneOf(['none'] as const)),
  payment_behavior: v.exactOptional(oneOf(['allow_incomplete', 'error_if_incomplete'])),
  off_session: v.exactOptional(flag),
};

function create(world: World, params: v.InferOutput<v.StrictObjectSchema<typeof createFields, undefined>>) {
  const customer = referenced(world, 'customer', params.customer, 'customer');
  const given = params.default_payment_method;
  if (given !== undefined) cardOfCustomer(world, given, customer.id, 'default_payment_method');
  const method = given ?? defaultMethodOf(world, customer.id);
  const [item] = params.items;
  const price = recurring(priceOf(world, item ?? {}, 'items[0]'));
  const behavior = params.payment_behavior ?? 'allow_incomplete';
  if (method === null && behavior !== 'default_incomplete')
    throw invalidRequest('This customer has no attached payment source or default payment method.', {
      code: 'resource_missing',
    });
  const { subscription, invoice } = startSubscription(world, {
    customer,
    price,
    quantity: item?.quantity ?? 1,
    metadata: changedMetadata({}, params.metadata),
    description: params.description ?? null,
    method: given ?? null,
    anchor: anchorOf(world, params),
  });
  if (invoice?.status === 'open' && behavior !== 'default_incomplete') {
    const result = pay(world, invoice, { offSession: params.off_session ?? behavior === 'error_if_incomplete' });
    const isRefused = result.is === 'refused' || result.is === 'authenticates';
    if (isRefused && behavior === 'error_if_incomplete')
      throw cardProblem(result.is === 'refused' ? result.refusal : needsAction, result.intent, { keepsChanges: false });
  }
  return required(world, 'subscription', subscription.id);
}

type CreateParams = v.InferOutput<v.StrictObjectSchema<typeof createFields, undefined>>;

/** The latest month that has the day, so that later months without it end on their last day. */
function anchorOf(world: World, { billing_cycle_anchor_config: config, proration_behavior: prorates }: CreateParams) {
  if (!config) return undefined;
  if (prorates !== 'none')
    throw invalidRequest('This server does not prorate: set `proration_behavior` to `none`.', {
      param: 'proration_behavior',
    });
  const { day_of_month: day, hour, minute, second } = config;
  const now = new Date(world.at() * 1000);
  for (let months = 0; months < 3; months++) {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day, hour, minute, second));
    if (at.getUTCDate() === day) return at.getTime() / 1000;
  }
  throw invalidRequest('Invalid day of the month.', { param: 'billing_cycle_anchor_config[day_of_month]' });
}

function recurring(price: Stripe.Price): Stripe.Price {
  if (price.recurring) return price;
  throw invalidRequest(
    `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
    {
      param: 'items[0][price]',
    },
  );
}

function change(
  world: World,
  subscription: Stripe.Subscription,
  params: v.InferOutput<v.StrictObjectSchema<typeof updateFields, undefined>>,
): Stripe.Subscription {
  if (subscription.ended_at !== null)
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  const { items, cancel_at_period_end: ends, default_payment_method: method, metadata: meta, description } = params;
  if (typeof method === 'string')
    cardOfCustomer(world, method, idOf(subscription.customer) ?? '', 'default_payment_method');
  if (items?.some(({ price, price_data: data }) => price !== undefined || data) && params.proration_behavior !== 'none')
    throw invalidRequest('This server does not prorate: set `proration_behavior` to `none`.', {
      param: 'proration_behavior',
    });
  return update(
    world,
    'subscription',
    subscription,
    {
      ...(items?.[0] && { items: { ...subscription.items, data: [itemWith(world, subscription, items[0])] } }),
      ...(ends !== undefined && {
        cancel_at_period_end: ends,
        cancel_at: ends ? itemOf(subscription).current_period_end : null,
        canceled_at: ends ? (subscription.canceled_at ?? world.at()) : null,
      }),
      ...(method !== undefined && { default_payment_method: method }),
      ...(meta !== undefined && { metadata: changedMetadata(subscription.metadata, meta) }),
      ...(description !== undefined && { description }),
    },
    'customer.subscription.updated',
  );
}

function itemWith(world: World, subscription: Stripe.Subscription, given: v.InferOutput<typeof changedItem>) {
  const item = itemOf(subscription);
  if (given.id === undefined)
    throw invalidRequest('This server allows one item: name it by `items[0][id]`.', { param: 'items[0][id]' });
  if (given.id !== item.id)
    throw invalidRequest(`No such subscription item: '${given.id}'`, {
      code: 'resource_missing',
      param: 'items[0][id]',
    });
  const changes = {
    quantity: given.quantity ?? item.quantity ?? 1,
    metadata: changedMetadata(item.metadata, given.metadata),
  };
  if (given.price === undefined && !given.price_data) return { ...item, ...changes };
  const price = recurring(priceOf(world, given, 'items[0]'));
  if (price.currency !== subscription.currency)
    throw invalidRequest('The price must have the currency of the subscription.', { param: 'items[0][price]' });
  const [old, next] = [recurrenceOf(item.price), recurrenceOf(price)];
  if (old.interval !== next.interval || old.interval_count !== next.interval_count)
    throw invalidRequest('This server does not change the billing interval of a subscription.', {
      param: 'items[0][price]',
    });
  return { ...item, ...changes, price, plan: planOf(price) };
}

const isListed = (status: string | undefined, one: Stripe.Subscription): boolean => {
  if (status === 'all') return true;
  if (status === 'ended') return one.ended_at !== null;
  return status === undefined ? one.status !== 'canceled' : one.status === status;
};

export const subscriptionRoutes: readonly Route[] = [
  route('POST', '/v1/subscriptions', createFields, ({ world, params }) => create(world, params)),
  route('GET', '/v1/subscriptions/{id}', {}, ({ world, id }) => required(world, 'subscription', id)),
  route('POST', '/v1/subscriptions/{id}', updateFields, ({ world, id, params }) =>
    change(world, required(world, 'subscription', id), params),
  ),
  route(
    'DELETE',
    '/v1/subscriptions/{id}',
    {
      invoice_now: v.exactOptional(v.pipe(flag, v.literal(false))),
      prorate: v.exactOptional(v.pipe(flag, v.literal(false))),
      cancellation_details: v.exactOptional(v.strictObject({ comment: v.exactOptional(clearable()) })),
    },
    ({ world, id, params }) => {
      const subscription = required(world, 'subscription', id);
      if (subscription.ended_at !== null)
        throw invalidRequest(`No such subscription: '${id}'`, { code: 'resource_missing', param: 'id' });
      return cancel(world, subscription, params.cancellation_details?.comment ?? null);
    },
  ),
  listRoute(
    '/v1/subscriptions',
    {
      customer: v.exactOptional(text()),
      price: v.exactOptional(text()),
      status: v.exactOptional(
        oneOf(['active', 'all', 'canceled', 'ended', 'incomplete', 'incomplete_expired', 'past_due', 'unpaid']),
      ),
      created: v.exactOptional(range),
    },
    ({ world, params: { customer, price, status, created } }) =>
      world
        .all('subscription')
        .filter(
          (one) =>
            (customer === undefined || one.customer === customer) &&
            (price === undefined || itemOf(one).price.id === price) &&
            isListed(status, one) &&
            isInRange(one.created, created),
        ),
  ),
  route('GET', '/v1/subscription_items/{id}', {}, ({ world, id }) => {
    const owner = world.all('subscription').find((one) => itemOf(one).id === id);
    if (!owner) throw invalidRequest(`No such subscription_item: '${id}'`, { code: 'resource_missing', param: 'id' });
    return itemOf(owner);
  }),
  listRoute(
    '/v1/subscription_items',
    { subscription: text() },
    ({ world, params: { subscription } }) => required(world, 'subscription', subscription).items.data,
  ),
];
