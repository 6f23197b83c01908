import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import {
  changedMetadata,
  currency,
  flag,
  isInRange,
  metadata,
  naturalNumber,
  oneOf,
  range,
  text,
  url,
} from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';
import { checkoutPriceData, priceOf } from './prices.ts';
import { idOf, type SessionDetails } from './types.ts';

const off = v.pipe(flag, v.literal(false, 'parameter_invalid: This server only supports false.'));
const message = v.strictObject({ message: text(1200) });

const fields = {
  mode: oneOf(['payment', 'subscription', 'setup']),
  success_url: url,
  cancel_url: v.exactOptional(url),
  ui_mode: v.exactOptional(oneOf(['hosted_page'])),
  line_items: v.exactOptional(
    v.pipe(
      v.array(
        v.strictObject({
          price: v.exactOptional(text()),
          price_data: v.exactOptional(checkoutPriceData),
          quantity: v.exactOptional(naturalNumber),
          metadata: v.exactOptional(metadata),
        }),
      ),
      v.maxLength(100),
    ),
  ),
  customer: v.exactOptional(text()),
  customer_email: v.exactOptional(text(800)),
  customer_creation: v.exactOptional(oneOf(['always', 'if_required'])),
  customer_update: v.exactOptional(
    v.strictObject({
      address: v.exactOptional(oneOf(['auto', 'never'])),
      name: v.exactOptional(oneOf(['auto', 'never'])),
    }),
  ),
  client_reference_id: v.exactOptional(text(200)),
  metadata: v.exactOptional(metadata),
  expires_at: v.exactOptional(naturalNumber),
  currency: v.exactOptional(currency),
  locale: v.exactOptional(text(10)),
  submit_type: v.exactOptional(oneOf(['auto', 'book', 'donate', 'pay', 'subscribe'])),
  allow_promotion_codes: v.exactOptional(off),
  adaptive_pricing: v.exactOptional(v.strictObject({ enabled: off })),
  automatic_tax: v.exactOptional(v.strictObject({ enabled: off })),
  phone_number_collection: v.exactOptional(v.strictObject({ enabled: off })),
  tax_id_collection: v.exactOptional(
    v.strictObject({ enabled: flag, required: v.exactOptional(oneOf(['if_supported', 'never'])) }),
  ),
  billing_address_collection: v.exactOptional(oneOf(['auto', 'required'])),
  allowed_payment_method_types: v.exactOptional(v.array(oneOf(['card']))),
  payment_method_collection: v.exactOptional(oneOf(['always', 'if_required'])),
  payment_method_options: v.exactOptional(
    v.strictObject({
      card: v.exactOptional(
        v.strictObject({
          request_three_d_secure: v.exactOptional(oneOf(['any', 'automatic', 'challenge'])),
          setup_future_usage: v.exactOptional(oneOf(['off_session', 'on_session'])),
        }),
      ),
    }),
  ),
  consent_collection: v.exactOptional(
    v.strictObject({
      terms_of_service: v.exactOptional(oneOf(['none', 'required'])),
      promotions: v.exactOptional(oneOf(['auto', 'none'])),
      payment_method_reuse_agreement: v.exactOptional(v.strictObject({ position: oneOf(['auto', 'hidden']) })),
    }),
  ),
  custom_text: v.exactOptional(
    v.strictObject({
      submit: v.exactOptional(message),
      after_submit: v.exactOptional(message),
      terms_of_service_acceptance: v.exactOptional(message),
    }),
  ),
  saved_payment_method_options: v.exactOptional(
    v.strictObject({
      payment_method_save: v.exactOptional(oneOf(['disabled', 'enabled'])),
      payment_method_remove: v.exactOptional(oneOf(['disabled', 'enabled'])),
      allow_redisplay_filters: v.exactOptional(v.array(oneOf(['always', 'limited', 'unspecified']))),
    }),
  ),
  invoice_creation: v.exactOptional(
    v.strictObject({
      enabled: flag,
      invoice_data: v.exactOptional(
        v.strictObject({
          description: v.exactOptional(text(1500)),
          footer: v.exactOptional(text()),
          metadata: v.exactOptional(metadata),
        }),
      ),
    }),
  ),
  payment_intent_data: v.exactOptional(
    v.strictObject({
      description: v.exactOptional(text(1000)),
      metadata: v.exactOptional(metadata),
      receipt_email: v.exactOptional(text()),
      setup_future_usage: v.exactOptional(oneOf(['off_session', 'on_session'])),
    }),
  ),
  subscription_data: v.exactOptional(
    v.strictObject({ description: v.exactOptional(text(500)), metadata: v.exactOptional(metadata) }),
  ),
  setup_intent_data: v.exactOptional(
    v.strictObject({ description: v.exactOptional(text()), metadata: v.exactOptional(metadata) }),
  ),
};
type Params = v.InferOutput<v.StrictObjectSchema<typeof fields, undefined>>;

const minimumTotal = 50;
const halfHour = 1800;
const day = 86_400;

function create(world: World, params: Params): Stripe.Checkout.Session {
  const { mode } = params;
  refuseForeignParams(params);
  const expiresAt = params.expires_at ?? world.at() + day;
  if (expiresAt < world.at() + halfHour || expiresAt > world.at() + day)
    throw invalidRequest(
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
      { param: 'expires_at' },
    );
  const customer =
    params.customer === undefined ? undefined : referenced(world, 'customer', params.customer, 'customer');
  const lines = (params.line_items ?? []).map((item, index) => lineOf(world, item, mode, `line_items[${index}]`));
  const total = totalOf(lines, mode);
  const id = newId('cs_test', 58);
  const session: Stripe.Checkout.Session = {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: consentOf(params),
    created: world.at(),
    currency: lines[0]?.currency ?? params.currency ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: params.custom_text?.after_submit ?? null,
      shipping_address: null,
      submit: params.custom_text?.submit ?? null,
      terms_of_service_acceptance: params.custom_text?.terms_of_service_acceptance ?? null,
    },
    customer: customer?.id ?? null,
    customer_account: null,
    customer_creation: mode === 'payment' ? (params.customer_creation ?? 'if_required') : null,
    customer_details: customer ? detailsOf(customer.email, customer.name ?? null) : null,
    customer_email: params.customer_email ?? null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: mode === 'payment' ? invoiceCreationOf(params) : null,
    livemode: false,
    locale: params.locale ?? null,
    managed_payments: null,
    metadata: changedMetadata({}, params.metadata),
    mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: params.payment_method_collection ?? (mode === 'payment' ? 'if_required' : 'always'),
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: savedOptionsOf(params),
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: params.submit_type ?? null,
    subscription: null,
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${world.url}/pay/${id}`,
    wallet_options: null,
  };
  const details: SessionDetails = {
    id,
    object: 'session_details',
    lines,
    intentMetadata: changedMetadata({}, (params.payment_intent_data ?? params.setup_intent_data)?.metadata),
    intentDescription: (params.payment_intent_data ?? params.setup_intent_data)?.description ?? null,
    receiptEmail: params.payment_intent_data?.receipt_email ?? null,
    invoiceMetadata: changedMetadata({}, params.invoice_creation?.invoice_data?.metadata),
    invoiceDescription: params.invoice_creation?.invoice_data?.description ?? null,
    subscriptionMetadata: changedMetadata({}, params.subscription_data?.metadata),
    subscriptionDescription: params.subscription_data?.description ?? null,
    savesCard:
      mode !== 'payment' ||
      (params.payment_intent_data?.setup_future_usage ?? params.payment_method_options?.card?.setup_future_usage) !==
        undefined,
    waiting: null,
  };
  world.save('checkout.session', session);
  world.save('session_details', details);
  return session;
}

const modesOf: Readonly<Partial<Record<keyof Params, readonly string[]>>> = {
  invoice_creation: ['payment'],
  payment_intent_data: ['payment'],
  submit_type: ['payment', 'subscription'],
  customer_creation: ['payment', 'setup'],
  subscription_data: ['subscription'],
  payment_method_collection: ['subscription'],
  setup_intent_data: ['setup'],
  line_items: ['payment', 'subscription'],
};

function refuseForeignParams(params: Params): void {
  for (const [name, modes] of Object.entries(modesOf))
    if (Object.hasOwn(params, name) && !modes.includes(params.mode))
      throw invalidRequest(`You can not pass \`${name}\` in \`${params.mode}\` mode.`, { param: name });
  if (params.mode !== 'setup' && (params.line_items?.length ?? 0) === 0)
    throw invalidRequest(`\`line_items\` is required in \`${params.mode}\` mode.`, {
      code: 'parameter_missing',
      param: 'line_items',
    });
  if (params.mode === 'setup' && params.currency === undefined)
    throw invalidRequest('`currency` is required in `setup` mode.', { code: 'parameter_missing', param: 'currency' });
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.');
}

function lineOf(
  world: World,
  item: NonNullable<Params['line_items']>[number],
  mode: string,
  param: string,
): Stripe.LineItem {
  const price = priceOf(world, item, param);
  if (mode === 'subscription' && price.recurring === null)
    throw invalidRequest('This server sells only recurring prices in `subscription` mode.', { param });
  if (mode === 'payment' && price.recurring !== null)
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      { param },
    );
  const { quantity = 1 } = item;
  if (quantity < 1) throw invalidRequest('The quantity must be at least 1.', { param: `${param}[quantity]` });
  const amount = (price.unit_amount ?? 0) * quantity;
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: world.find('product', idOf(price.product) ?? '')?.name ?? null,
    metadata: changedMetadata({}, item.metadata),
    price,
    quantity,
  };
}

function totalOf(lines: readonly Stripe.LineItem[], mode: string): number | null {
  if (mode === 'setup') return null;
  const [first] = lines;
  if (mode === 'subscription' && lines.length > 1)
    throw invalidRequest('This server allows one item in `subscription` mode.', { param: 'line_items' });
  if (lines.some((line) => line.currency !== first?.currency))
    throw invalidRequest('All prices of a Checkout Session must have the same currency.', { param: 'line_items' });
  const total = lines.reduce((sum, line) => sum + line.amount_total, 0);
  if (total < minimumTotal)
    throw invalidRequest(`The Checkout Session's total amount due must add up to at least ${minimumTotal} cents.`, {
      code: 'amount_too_small',
      param: 'line_items',
    });
  return total;
}

const consentOf = ({ consent_collection: asked }: Params) =>
  asked
    ? {
        payment_method_reuse_agreement: asked.payment_method_reuse_agreement ?? null,
        promotions: asked.promotions ?? null,
        terms_of_service: asked.terms_of_service ?? null,
      }
    : null;

const savedOptionsOf = ({ saved_payment_method_options: asked }: Params) => ({
  allow_redisplay_filters: asked?.allow_redisplay_filters ?? ['always' as const],
  payment_method_remove: asked?.payment_method_remove ?? 'disabled',
  payment_method_save: asked?.payment_method_save ?? null,
});

const invoiceCreationOf = ({ invoice_creation: asked }: Params): Stripe.Checkout.Session.InvoiceCreation => ({
  enabled: asked?.enabled ?? false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: asked?.invoice_data?.description ?? null,
    footer: asked?.invoice_data?.footer ?? null,
    issuer: null,
    metadata: changedMetadata({}, asked?.invoice_data?.metadata),
    rendering_options: null,
  },
});

export const detailsOf = (email: string | null, name: string | null): Stripe.Checkout.Session.CustomerDetails => ({
  address: null,
  business_name: null,
  email,
  individual_name: null,
  name,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
});

/** Ends a session that was not paid. */
export function expireSession(world: World, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open')
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  const intent = world.find('payment_intent', idOf(session.payment_intent) ?? '');
  if (intent && intent.status !== 'succeeded')
    update(
      world,
      'payment_intent',
      intent,
      { status: 'canceled', canceled_at: world.at(), cancellation_reason: 'automatic', next_action: null },
      'payment_intent.canceled',
    );
  const expired = update(world, 'checkout.session', session, { status: 'expired', url: null });
  world.emit('checkout.session.expired', expired);
  return expired;
}

export const linesOfSession = (world: World, id: string) => world.find('session_details', id)?.lines ?? [];

export const checkoutRoutes: readonly Route[] = [
  route('POST', '/v1/checkout/sessions', fields, ({ world, params }) => create(world, params)),
  route('GET', '/v1/checkout/sessions/{id}', {}, ({ world, id }) => required(world, 'checkout.session', id, 'session')),
  route('POST', '/v1/checkout/sessions/{id}/expire', {}, ({ world, id }) =>
    expireSession(world, required(world, 'checkout.session', id, 'session')),
  ),
  listRoute('/v1/checkout/sessions/{id}/line_items', {}, ({ world, id }) => {
    required(world, 'checkout.session', id, 'session');
    return linesOfSession(world, id).toReversed();
  }),
  listRoute(
    '/v1/checkout/sessions',
    {
      customer: v.exactOptional(text()),
      payment_intent: v.exactOptional(text()),
      subscription: v.exactOptional(text()),
      status: v.exactOptional(oneOf(['complete', 'expired', 'open'])),
      created: v.exactOptional(range),
    },
    ({ world, params: { customer, payment_intent: intent, subscription, status, created } }) =>
      world
        .all('checkout.session')
        .filter(
          (session) =>
            (customer === undefined || session.customer === customer) &&
            (intent === undefined || session.payment_intent === intent) &&
            (subscription === undefined || session.subscription === subscription) &&
            (status === undefined || session.status === status) &&
            isInRange(session.created, created),
        ),
  ),
];
