import type Stripe from 'stripe';
import * as v from 'valibot';
import { daySeconds } from '#contract/shared/time.ts';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, isInRange, oneOf, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf, type SessionDetails } from '../world.ts';
import { type CheckoutParams, checkoutFields, refuseForeignParams } from './checkout-params.ts';
import { cancelIntent } from './payments.ts';
import { priceOf } from './prices.ts';

const minimumTotal = 50;
const halfHour = 1800;

function create(world: World, params: CheckoutParams): Stripe.Checkout.Session {
  const { mode } = params;
  refuseForeignParams(params);
  const expiresAt = params.expires_at ?? world.at() + daySeconds;
  if (expiresAt < world.at() + halfHour || expiresAt > world.at() + daySeconds)
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

function lineOf(
  world: World,
  item: NonNullable<CheckoutParams['line_items']>[number],
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

const consentOf = ({ consent_collection: given }: CheckoutParams) =>
  given
    ? {
        payment_method_reuse_agreement: given.payment_method_reuse_agreement ?? null,
        promotions: given.promotions ?? null,
        terms_of_service: given.terms_of_service ?? null,
      }
    : null;

const savedOptionsOf = ({ saved_payment_method_options: given }: CheckoutParams) => ({
  allow_redisplay_filters: given?.allow_redisplay_filters ?? ['always' as const],
  payment_method_remove: given?.payment_method_remove ?? 'disabled',
  payment_method_save: given?.payment_method_save ?? null,
});

const invoiceCreationOf = ({ invoice_creation: given }: CheckoutParams): Stripe.Checkout.Session.InvoiceCreation => ({
  enabled: given?.enabled ?? false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: given?.invoice_data?.description ?? null,
    footer: given?.invoice_data?.footer ?? null,
    issuer: null,
    metadata: changedMetadata({}, given?.invoice_data?.metadata),
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

/** Expires an unpaid session. */
export function expireSession(world: World, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  if (session.status !== 'open')
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  cancelIntent(world, idOf(session.payment_intent), 'automatic');
  const expired = update(world, 'checkout.session', session, { status: 'expired', url: null });
  world.emit('checkout.session.expired', expired);
  return expired;
}

export const linesOfSession = (world: World, id: string) => world.find('session_details', id)?.lines ?? [];

export const checkoutRoutes: readonly Route[] = [
  route('POST', '/v1/checkout/sessions', checkoutFields, ({ world, params }) => create(world, params)),
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
