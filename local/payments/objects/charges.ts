import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, integer, isInRange, metadata, oneOf, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World, idOf } from '../world.ts';
import type { CardResult } from './cards.ts';

/** An attempt to charge the card, with its result. */
export function newCharge(
  world: World,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  result: Exclude<CardResult, { is: 'authenticates' }>,
): Stripe.Charge {
  const isPaid = result.is === 'accepted';
  const id = newId('ch');
  const charge: Stripe.Charge = {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: isPaid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: isPaid ? newId('txn') : null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: 'LOCAL STRIPE',
    captured: isPaid,
    created: world.at(),
    currency: intent.currency,
    customer: idOf(intent.customer),
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: isPaid ? null : result.refusal.code,
    failure_message: isPaid ? null : result.refusal.message,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: isPaid ? null : result.refusal.declineCode,
      risk_level: 'normal',
      risk_score: 20,
      seller_message: isPaid ? 'Payment complete.' : 'The bank declined the payment.',
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', ...(method.card && { card: cardDetails(intent, method.card) }) },
    radar_options: {},
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: isPaid ? `${world.url}/receipts/${id}` : null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isPaid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  };
  world.save('charge', charge);
  return charge;
}

const cardDetails = (
  { amount }: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod.Card,
): Stripe.Charge.PaymentMethodDetails.Card => ({
  amount_authorized: amount,
  authorization_code: null,
  brand: card.brand,
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
  country: card.country,
  electronic_commerce_indicator: null,
  exp_month: card.exp_month,
  exp_year: card.exp_year,
  fingerprint: card.fingerprint ?? null,
  funding: card.funding,
  installments: null,
  last4: card.last4,
  mandate: null,
  network: card.brand,
  network_transaction_id: null,
  regulated_status: 'unregulated',
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
});

export const chargeRoutes: readonly Route[] = [
  route('GET', '/v1/charges/{id}', {}, ({ world, id }) => required(world, 'charge', id)),
  listRoute(
    '/v1/charges',
    { customer: v.exactOptional(text()), payment_intent: v.exactOptional(text()), created: v.exactOptional(range) },
    ({ world, params: { customer, payment_intent: intent, created } }) =>
      world
        .all('charge')
        .filter(
          (charge) =>
            (customer === undefined || charge.customer === customer) &&
            (intent === undefined || charge.payment_intent === intent) &&
            isInRange(charge.created, created),
        ),
  ),
];

interface NewRefund {
  /** Default: the amount that is not refunded yet. */
  readonly amount?: number;
  readonly reason?: Stripe.Refund.Reason;
  readonly metadata?: Record<string, string>;
}

export function refund(world: World, charge: Stripe.Charge, { amount, reason, metadata: meta }: NewRefund = {}) {
  const rest = charge.amount - charge.amount_refunded;
  if (!charge.paid) throw invalidRequest('This charge was not successful and cannot be refunded.');
  if (rest === 0)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (
    charge.disputed &&
    world.all('dispute').some(({ charge: id, is_charge_refundable: ok }) => id === charge.id && !ok)
  )
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  const sum = amount ?? rest;
  if (sum <= 0)
    throw invalidRequest('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' });
  if (sum > rest)
    throw invalidRequest(`Refund amount (${sum}) is greater than unrefunded amount on charge (${rest})`, {
      param: 'amount',
    });
  const created: Stripe.Refund = {
    id: newId('re'),
    object: 'refund',
    amount: sum,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: world.at(),
    currency: charge.currency,
    customer: idOf(charge.customer),
    customer_account: null,
    destination_details: { type: 'card' },
    metadata: meta ?? {},
    payment_intent: idOf(charge.payment_intent),
    payment_method: charge.payment_method,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
  world.save('refund', created);
  const refunded = charge.amount_refunded + sum;
  update(
    world,
    'charge',
    charge,
    { amount_refunded: refunded, refunded: refunded === charge.amount },
    'charge.refunded',
  );
  world.emit('refund.created', created);
  world.emit('refund.updated', created);
  return created;
}

/** Fails a refund after the fact, as banks do for closed accounts. The charge's refunded amount decreases again. */
export function failRefund(world: World, old: Stripe.Refund): Stripe.Refund {
  if (old.status === 'failed') throw invalidRequest('This refund has already failed.');
  const failed = update(world, 'refund', old, {
    status: 'failed',
    failure_reason: 'lost_or_stolen_card',
    failure_balance_transaction: newId('txn'),
  });
  const charge = required(world, 'charge', idOf(old.charge) ?? '', 'charge');
  world.save('charge', { ...charge, amount_refunded: charge.amount_refunded - old.amount, refunded: false });
  world.emit('refund.updated', failed, { status: old.status });
  world.emit('refund.failed', failed);
  return failed;
}

/** The charge that paid an intent, or 400. */
export function chargeOf(world: World, intent: Stripe.PaymentIntent): Stripe.Charge {
  const charge = world.find('charge', idOf(intent.latest_charge) ?? '');
  if (charge && intent.status === 'succeeded') return charge;
  throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
    param: 'payment_intent',
  });
}

export const refundRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/refunds',
    {
      charge: v.exactOptional(text()),
      payment_intent: v.exactOptional(text()),
      amount: v.exactOptional(integer),
      reason: v.exactOptional(oneOf(['duplicate', 'fraudulent', 'requested_by_customer'])),
      metadata: v.exactOptional(metadata),
    },
    ({ world, params: { charge, payment_intent: intent, amount, reason, metadata: meta } }) => {
      if (charge === undefined && intent === undefined)
        throw invalidRequest(
          'One of the following params should be provided for this request: payment_intent or charge.',
        );
      const target =
        charge === undefined
          ? chargeOf(world, referenced(world, 'payment_intent', intent ?? '', 'payment_intent'))
          : referenced(world, 'charge', charge, 'charge');
      const stored = changedMetadata({}, meta);
      return refund(world, target, {
        metadata: stored,
        ...(amount !== undefined && { amount }),
        ...(reason !== undefined && { reason }),
      });
    },
  ),
  route('GET', '/v1/refunds/{id}', {}, ({ world, id }) => required(world, 'refund', id)),
  listRoute(
    '/v1/refunds',
    { charge: v.exactOptional(text()), payment_intent: v.exactOptional(text()), created: v.exactOptional(range) },
    ({ world, params: { charge, payment_intent: intent, created } }) =>
      world
        .all('refund')
        .filter(
          (one) =>
            (charge === undefined || one.charge === charge) &&
            (intent === undefined || one.payment_intent === intent) &&
            isInRange(one.created, created),
        ),
  ),
];
