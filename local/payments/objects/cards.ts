import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, missing, newId, StripeProblem } from '../wire/errors.ts';
import { oneOf, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';

/** Behavior of a card. Stripe publishes the same numbers for its test mode. */
type Behavior =
  | 'succeeds'
  | 'declined'
  | 'no_funds'
  | 'declined_when_charged'
  | 'disputed'
  | 'inquiry'
  | 'authenticates'
  | 'authenticates_once';

export interface TestCard {
  readonly number: string;
  readonly brand: string;
  readonly behavior: Behavior;
  /** Payment method that the API accepts in place of a card. */
  readonly token: string;
  readonly label: string;
}

export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', brand: 'visa', behavior: 'succeeds', token: 'pm_card_visa', label: 'Succeeds' },
  {
    number: '5555555555554444',
    brand: 'mastercard',
    behavior: 'succeeds',
    token: 'pm_card_mastercard',
    label: 'Succeeds (Mastercard)',
  },
  {
    number: '4000002760003184',
    brand: 'visa',
    behavior: 'authenticates',
    token: 'pm_card_authenticationRequired',
    label: 'Always needs authentication',
  },
  {
    number: '4000002500003155',
    brand: 'visa',
    behavior: 'authenticates_once',
    token: 'pm_card_authenticationRequiredOnSetup',
    label: 'Needs authentication once',
  },
  {
    number: '4000000000000002',
    brand: 'visa',
    behavior: 'declined',
    token: 'pm_card_chargeDeclined',
    label: 'Declined',
  },
  {
    number: '4000000000009995',
    brand: 'visa',
    behavior: 'no_funds',
    token: 'pm_card_chargeDeclinedInsufficientFunds',
    label: 'Insufficient funds',
  },
  {
    number: '4000000000000341',
    brand: 'visa',
    behavior: 'declined_when_charged',
    token: 'pm_card_chargeCustomerFail',
    label: 'Can be saved, but is declined',
  },
  {
    number: '4000000000000259',
    brand: 'visa',
    behavior: 'disputed',
    token: 'pm_card_createDispute',
    label: 'Succeeds, then disputed',
  },
  {
    number: '4000000000001976',
    brand: 'visa',
    behavior: 'inquiry',
    token: 'pm_card_createDisputeInquiry',
    label: 'Succeeds, then an inquiry',
  },
];

export const cardByNumber = (number: string) => testCards.find((card) => card.number === number);
const cardByToken = (token: string) => testCards.find((card) => card.token === token);

/** Unknown cards succeed. No two test cards end in the same digits. */
const behaviorOf = (method: Stripe.PaymentMethod): Behavior =>
  testCards.find(({ number }) => number.slice(-4) === method.card?.last4)?.behavior ?? 'succeeds';

export interface Refusal {
  readonly code: 'card_declined' | 'authentication_required';
  readonly declineCode: 'generic_decline' | 'insufficient_funds' | 'authentication_required';
  readonly message: string;
}

export const genericDecline: Refusal = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
};
const insufficientFunds: Refusal = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
};
export const authenticationRequired: Refusal = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

export type CardResult =
  | { readonly is: 'accepted'; readonly dispute?: 'needs_response' | 'warning_needs_response' }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | { readonly is: 'authenticates' };

export interface CardUse {
  /** Off session: the buyer is not present. */
  readonly offSession: boolean;
  /** The buyer has authenticated this payment. */
  readonly isAuthenticated: boolean;
}

const accepted: CardResult = { is: 'accepted' };
const asksBuyer: CardResult = { is: 'authenticates' };
const refused = (refusal: Refusal): CardResult => ({ is: 'refused', refusal });

const charges: Readonly<Record<Behavior, (use: CardUse) => CardResult>> = {
  succeeds: () => accepted,
  declined: () => refused(genericDecline),
  declined_when_charged: () => refused(genericDecline),
  no_funds: () => refused(insufficientFunds),
  disputed: () => ({ is: 'accepted', dispute: 'needs_response' }),
  inquiry: () => ({ is: 'accepted', dispute: 'warning_needs_response' }),
  authenticates: ({ offSession, isAuthenticated }) => {
    if (isAuthenticated) return accepted;
    return offSession ? refused(authenticationRequired) : asksBuyer;
  },
  authenticates_once: ({ offSession, isAuthenticated }) => (isAuthenticated || offSession ? accepted : asksBuyer),
};

export const charged = (method: Stripe.PaymentMethod, use: CardUse): CardResult => charges[behaviorOf(method)](use);

/** The result of saving a card without a payment. */
export function saved(method: Stripe.PaymentMethod, { isAuthenticated }: Pick<CardUse, 'isAuthenticated'>): CardResult {
  const behavior = behaviorOf(method);
  if (behavior === 'declined') return refused(genericDecline);
  if (behavior === 'no_funds') return refused(insufficientFunds);
  return behavior.startsWith('authenticates') && !isAuthenticated ? asksBuyer : accepted;
}

export interface CardEntry {
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly name: string | null;
  readonly email: string | null;
}

export function newPaymentMethod(world: World, { number, expMonth, expYear, name, email }: CardEntry) {
  const brand = cardByNumber(number)?.brand ?? 'visa';
  const method: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email, name, phone: null, tax_id: null },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: expMonth,
      exp_year: expYear,
      fingerprint: fingerprintOf(number),
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: world.at(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
  world.save('payment_method', method);
  return method;
}

/** Equal numbers have equal fingerprints, as with Stripe. */
const fingerprintOf = (number: string): string =>
  createHash('sha256').update(`card ${number}`).digest('base64url').replaceAll(/[-_]/g, '0').slice(0, 16);

/** Attaches the card to the customer. */
export function attach(world: World, method: Stripe.PaymentMethod, customer: string): Stripe.PaymentMethod {
  if (idOf(method.customer) === customer) return method;
  return update(world, 'payment_method', method, { customer }, 'payment_method.attached');
}

/** Removes the card from its customer and from everything that charges it. */
export function detach(world: World, method: Stripe.PaymentMethod): Stripe.PaymentMethod {
  const owner = world.find('customer', idOf(method.customer) ?? '');
  if (!owner)
    throw invalidRequest('The payment method you provided is not attached to a customer so detachment is impossible.');
  if (idOf(owner.invoice_settings.default_payment_method) === method.id)
    world.save('customer', { ...owner, invoice_settings: { ...owner.invoice_settings, default_payment_method: null } });
  for (const subscription of world.all('subscription'))
    if (idOf(subscription.default_payment_method) === method.id)
      world.save('subscription', { ...subscription, default_payment_method: null });
  return update(world, 'payment_method', method, { customer: null }, 'payment_method.detached');
}

/** Charges the customer's invoices and running subscriptions to the card from now on. */
export function makeDefault(world: World, id: string, method: string): void {
  const customer = required(world, 'customer', id);
  const settings = { ...customer.invoice_settings, default_payment_method: method };
  update(world, 'customer', customer, { invoice_settings: settings }, 'customer.updated');
  for (const subscription of world.all('subscription'))
    if (
      subscription.customer === id &&
      subscription.ended_at === null &&
      subscription.default_payment_method !== method
    )
      update(world, 'subscription', subscription, { default_payment_method: method }, 'customer.subscription.updated');
}

/** A card of the customer, or 400. */
export function cardOfCustomer(world: World, id: string, customer: string, param: string): Stripe.PaymentMethod {
  const method = referenced(world, 'payment_method', id, param);
  if (idOf(method.customer) !== customer)
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param },
    );
  return method;
}

/** Test tokens such as `pm_card_visa` are new cards at each use. */
function cardOrToken(world: World, id: string): Stripe.PaymentMethod {
  const card = cardByToken(id);
  if (!card) return required(world, 'payment_method', id, 'payment_method');
  const expYear = new Date(1000 * world.at()).getUTCFullYear() + 1;
  return newPaymentMethod(world, { number: card.number, expMonth: 12, expYear, name: null, email: null });
}

export const paymentMethodRoutes: readonly Route[] = [
  route('GET', '/v1/payment_methods/{id}', {}, ({ world, id }) => required(world, 'payment_method', id)),
  listRoute(
    '/v1/payment_methods',
    { customer: v.exactOptional(text()), type: v.exactOptional(oneOf(['card'])) },
    ({ world, params: { customer } }) => world.all('payment_method').filter((method) => method.customer === customer),
  ),
  listRoute('/v1/customers/{id}/payment_methods', { type: v.exactOptional(oneOf(['card'])) }, ({ world, id }) => {
    required(world, 'customer', id);
    return world.all('payment_method').filter((method) => method.customer === id);
  }),
  route('POST', '/v1/payment_methods/{id}/attach', { customer: text() }, ({ world, id, params: { customer } }) => {
    referenced(world, 'customer', customer, 'customer');
    const method = cardOrToken(world, id);
    const result = saved(method, { isAuthenticated: true });
    if (result.is === 'refused')
      throw new StripeProblem(402, {
        type: 'card_error',
        code: result.refusal.code,
        decline_code: result.refusal.declineCode,
        message: result.refusal.message,
      });
    return attach(world, method, customer);
  }),
  route('POST', '/v1/payment_methods/{id}/detach', {}, ({ world, id }) =>
    detach(world, required(world, 'payment_method', id)),
  ),
  route('GET', '/v1/customers/{id}/payment_methods/{method}', {}, ({ world, id, path }) => {
    const method = required(world, 'payment_method', path.split('/').at(-1) ?? '');
    if (method.customer !== id) throw missing('PaymentMethod', method.id);
    return method;
  }),
];
