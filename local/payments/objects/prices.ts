import Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import {
  changedMetadata,
  clearable,
  currency,
  flag,
  metadata,
  naturalNumber,
  oneOf,
  text,
  url,
} from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';

export const decimalOf = (amount: number) => Stripe.Decimal.from(amount);

const recurring = v.strictObject({
  interval: oneOf(['day', 'week', 'month', 'year']),
  interval_count: v.exactOptional(naturalNumber),
  usage_type: v.exactOptional(oneOf(['licensed'])),
});

const productFields = {
  name: text(250),
  description: v.exactOptional(clearable()),
  images: v.exactOptional(v.array(url)),
  metadata: v.exactOptional(metadata),
  statement_descriptor: v.exactOptional(text(22)),
  tax_code: v.exactOptional(text()),
  unit_label: v.exactOptional(text(12)),
};

/** A price in a request, of an existing product. */
export const priceData = {
  currency,
  product: text(),
  unit_amount: naturalNumber,
  tax_behavior: v.exactOptional(oneOf(['inclusive', 'exclusive', 'unspecified'])),
};
export const recurringPriceData = { ...priceData, recurring };

/** A price of Checkout, whose product may be in the request too. */
export const checkoutPriceData = v.strictObject({
  ...priceData,
  product: v.exactOptional(text()),
  product_data: v.exactOptional(v.strictObject(productFields)),
  recurring: v.exactOptional(recurring),
});

interface NewPrice {
  readonly currency: string;
  readonly unit_amount: number;
  readonly recurring?: v.InferOutput<typeof recurring>;
  readonly nickname?: string | null;
  readonly metadata?: Record<string, string>;
  readonly lookup_key?: string | null;
  /** Prices in requests cannot be used again. */
  readonly active?: boolean;
}

function newPrice(world: World, product: string, price: NewPrice): Stripe.Price {
  const { currency: money, unit_amount: amount, recurring: cycle, active = true } = price;
  const stored: Stripe.Price = {
    id: newId('price'),
    object: 'price',
    active,
    billing_scheme: 'per_unit',
    created: world.at(),
    currency: money,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: price.lookup_key ?? null,
    metadata: price.metadata ?? {},
    nickname: price.nickname ?? null,
    product,
    recurring: cycle
      ? {
          interval: cycle.interval,
          interval_count: cycle.interval_count ?? 1,
          meter: null,
          trial_period_days: null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: cycle ? 'recurring' : 'one_time',
    unit_amount: amount,
    unit_amount_decimal: decimalOf(amount),
  };
  world.save('price', stored);
  world.emit('price.created', stored);
  return stored;
}

type NewProduct = v.InferOutput<v.StrictObjectSchema<typeof productFields, undefined>>;

function newProduct(
  world: World,
  { id = newId('prod', 14), active = true, ...fields }: NewProduct & { id?: string; active?: boolean },
) {
  if (world.find('product', id))
    throw invalidRequest(`Product already exists. Supply a unique id or try updating ${id} instead.`, {
      code: 'resource_already_exists',
      param: 'id',
    });
  const product: Stripe.Product = {
    id,
    object: 'product',
    active,
    created: world.at(),
    default_price: null,
    description: fields.description ?? null,
    images: fields.images ?? [],
    livemode: false,
    marketing_features: [],
    metadata: changedMetadata({}, fields.metadata),
    name: fields.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: fields.statement_descriptor ?? null,
    tax_code: fields.tax_code ?? null,
    tax_details: null,
    type: 'service',
    unit_label: fields.unit_label ?? null,
    updated: world.at(),
    url: null,
  };
  world.save('product', product);
  world.emit('product.created', product);
  return product;
}

/** The price of an item in a request: an existing one by its id, or a new one. */
export function priceOf(
  world: World,
  { price, price_data: data }: { price?: string; price_data?: v.InferOutput<typeof checkoutPriceData> },
  param: string,
): Stripe.Price {
  if ((price === undefined) === (data === undefined))
    throw invalidRequest(`You must specify either \`price\` or \`price_data\`.`, {
      code: 'parameter_missing',
      param: `${param}[price]`,
    });
  if (price !== undefined) {
    const found = referenced(world, 'price', price, `${param}[price]`);
    if (!found.active) throw invalidRequest('The price specified is inactive.', { param: `${param}[price]` });
    return found;
  }
  const { product, product_data: fields, ...rest } = data ?? neverData();
  if ((product === undefined) === (fields === undefined))
    throw invalidRequest('You must specify either `product` or `product_data`.', {
      code: 'parameter_missing',
      param: `${param}[price_data][product]`,
    });
  const id =
    product === undefined
      ? newProduct(world, fields ?? neverData()).id
      : referenced(world, 'product', product, `${param}[price_data][product]`).id;
  return newPrice(world, id, { ...rest, active: false });
}

/** Unreachable: the caller has checked that one of the parameters exists. */
function neverData(): never {
  throw new Error('neither of two parameters was given');
}

export const priceRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/products',
    { ...productFields, id: v.exactOptional(text()), active: v.exactOptional(flag) },
    ({ world, params }) => newProduct(world, params),
  ),
  route('GET', '/v1/products/{id}', {}, ({ world, id }) => required(world, 'product', id)),
  route(
    'POST',
    '/v1/products/{id}',
    {
      name: v.exactOptional(text(250)),
      description: v.exactOptional(clearable()),
      active: v.exactOptional(flag),
      metadata: v.exactOptional(metadata),
    },
    ({ world, id, params: { metadata: meta, ...changes } }) => {
      const product = required(world, 'product', id);
      const metadataOf = changedMetadata(product.metadata, meta);
      return update(
        world,
        'product',
        product,
        { ...changes, metadata: metadataOf, updated: world.at() },
        'product.updated',
      );
    },
  ),
  listRoute('/v1/products', { active: v.exactOptional(flag) }, ({ world, params: { active } }) =>
    world.all('product').filter((product) => active === undefined || product.active === active),
  ),
  route(
    'POST',
    '/v1/prices',
    {
      ...priceData,
      recurring: v.exactOptional(recurring),
      nickname: v.exactOptional(text()),
      lookup_key: v.exactOptional(text(200)),
      metadata: v.exactOptional(metadata),
      active: v.exactOptional(flag),
    },
    ({ world, params: { product, metadata: meta, ...rest } }) =>
      newPrice(world, referenced(world, 'product', product, 'product').id, {
        ...rest,
        metadata: changedMetadata({}, meta),
      }),
  ),
  route('GET', '/v1/prices/{id}', {}, ({ world, id }) => required(world, 'price', id)),
  listRoute(
    '/v1/prices',
    { active: v.exactOptional(flag), product: v.exactOptional(text()), lookup_keys: v.exactOptional(v.array(text())) },
    ({ world, params: { active, product, lookup_keys: keys } }) =>
      world
        .all('price')
        .filter(
          (price) =>
            (active === undefined || price.active === active) &&
            (product === undefined || price.product === product) &&
            (keys === undefined || keys.includes(price.lookup_key ?? '')),
        ),
  ),
];
