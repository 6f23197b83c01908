import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { newId } from '../wire/errors.ts';
import type { World } from '../world.ts';

/** How a card behaves. Stripe publishes the same numbers for its test mode. */
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
export const cardByToken = (token: string) => testCards.find((card) => card.token === token);

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

/** The same for the same number, as with Stripe. */
const fingerprintOf = (number: string): string =>
  createHash('sha256').update(`card ${number}`).digest('base64url').replaceAll(/[-_]/g, '0').slice(0, 16);
