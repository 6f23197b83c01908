import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, integer, isInRange, metadata, oneOf, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';
import { idOf } from './types.ts';

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
