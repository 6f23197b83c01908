import type Stripe from 'stripe';
import * as v from 'valibot';
import { newId, StripeProblem } from '../wire/errors.ts';
import { isInRange, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { required, update, type World, type ScriptedOutcome } from '../world.ts';
import { authenticationRequired, type CardResult, charged, genericDecline, type Refusal } from './cards.ts';
import { newCharge } from './charges.ts';
import { openDispute } from './disputes.ts';

interface NewIntent {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly description: string | null;
  readonly metadata?: Record<string, string>;
  readonly receiptEmail?: string | null;
  readonly savesCard: boolean;
}

export function newIntent(world: World, options: NewIntent): Stripe.PaymentIntent {
  const id = newId('pi');
  const intent: Stripe.PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: options.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: `${id}_secret_${newId('x').slice(2)}`,
    confirmation_method: 'automatic',
    created: world.at(),
    currency: options.currency,
    customer: options.customer,
    customer_account: null,
    description: options.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: options.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: options.receiptEmail ?? null,
    review: null,
    setup_future_usage: options.savesCard ? 'off_session' : null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
  world.save('payment_intent', intent);
  world.emit('payment_intent.created', intent);
  return intent;
}

export interface Attempt {
  readonly method: Stripe.PaymentMethod;
  /** Off session: the buyer is not present. */
  readonly offSession: boolean;
  /** The buyer has authenticated this payment. */
  readonly isAuthenticated?: boolean;
  readonly scripted?: ScriptedOutcome['outcome'] | undefined;
}

export type AttemptResult =
  | { readonly is: 'paid'; readonly intent: Stripe.PaymentIntent }
  | { readonly is: 'refused'; readonly intent: Stripe.PaymentIntent; readonly refusal: Refusal }
  | { readonly is: 'authenticates'; readonly intent: Stripe.PaymentIntent };

/** Charges the card and emits Stripe's events. */
export function attempt(world: World, intent: Stripe.PaymentIntent, options: Attempt): AttemptResult {
  const { method } = options;
  const result = scriptedResult(options) ?? charged(method, { isAuthenticated: false, ...options });
  if (result.is === 'authenticates') {
    const waiting = update(world, 'payment_intent', intent, {
      status: 'requires_action',
      payment_method: method.id,
      next_action: { type: 'use_stripe_sdk' },
    });
    world.emit('payment_intent.requires_action', waiting);
    return { is: 'authenticates', intent: waiting };
  }
  const charge = newCharge(world, intent, method, result);
  if (result.is === 'refused') {
    const failed = update(world, 'payment_intent', intent, {
      status: 'requires_payment_method',
      payment_method: null,
      next_action: null,
      latest_charge: charge.id,
      last_payment_error: paymentError(result.refusal, method, charge.id),
    });
    world.emit('charge.failed', charge);
    world.emit('payment_intent.payment_failed', failed);
    return { is: 'refused', intent: failed, refusal: result.refusal };
  }
  const paid = update(world, 'payment_intent', intent, {
    status: 'succeeded',
    payment_method: method.id,
    next_action: null,
    last_payment_error: null,
    latest_charge: charge.id,
    amount_received: intent.amount,
  });
  world.emit('charge.succeeded', charge);
  world.emit('payment_intent.succeeded', paid);
  if (result.dispute) openDispute(world, charge, result.dispute);
  return { is: 'paid', intent: paid };
}

function scriptedResult({ scripted, offSession, isAuthenticated = false }: Attempt): CardResult | undefined {
  if (scripted === 'failed') return { is: 'refused', refusal: genericDecline };
  if (scripted !== 'action_required' || isAuthenticated) return undefined;
  return offSession ? { is: 'refused', refusal: authenticationRequired } : { is: 'authenticates' };
}

const paymentError = (
  { code, declineCode, message }: Refusal,
  method: Stripe.PaymentMethod,
  charge: string,
): Stripe.PaymentIntent.LastPaymentError => ({
  type: 'card_error',
  code,
  decline_code: declineCode,
  doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
  message,
  payment_method: method,
  charge,
});

/** The error of a payment that requires action. */
export const needsAction: Refusal = {
  ...authenticationRequired,
  message: 'This payment requires additional user action before it can be completed successfully.',
};

/** The 402 response to a declined charge. The changes of the charge are kept. */
export const cardProblem = (
  { code, declineCode, message }: Refusal,
  intent: Stripe.PaymentIntent,
  { keepsChanges }: { keepsChanges: boolean },
) =>
  new StripeProblem(
    402,
    {
      type: 'card_error',
      code,
      decline_code: declineCode,
      message,
      payment_intent: intent,
      ...(typeof intent.latest_charge === 'string' && { charge: intent.latest_charge }),
    },
    { keepsChanges },
  );

/** Returns the scripted outcome of the first id that has one. */
export function scriptedFor(world: World, ids: readonly (string | null | undefined)[]) {
  for (const id of ids) {
    const scripted = id && world.find('scripted_outcome', id);
    if (scripted) return scripted.outcome;
  }
  return undefined;
}

export const paymentRoutes: readonly Route[] = [
  route('GET', '/v1/payment_intents/{id}', { client_secret: v.exactOptional(text()) }, ({ world, id }) =>
    required(world, 'payment_intent', id),
  ),
  listRoute(
    '/v1/payment_intents',
    { customer: v.exactOptional(text()), created: v.exactOptional(range) },
    ({ world, params: { customer, created } }) =>
      world
        .all('payment_intent')
        .filter(
          (intent) => (customer === undefined || intent.customer === customer) && isInRange(intent.created, created),
        ),
  ),
  route('GET', '/v1/setup_intents/{id}', { client_secret: v.exactOptional(text()) }, ({ world, id }) =>
    required(world, 'setup_intent', id),
  ),
];

/** Cancels a payment that has not succeeded. */
export function cancelIntent(world: World, id: string | undefined | null, reason: 'automatic' | 'void_invoice'): void {
  const intent = world.find('payment_intent', id ?? '');
  if (!intent || intent.status === 'succeeded') return;
  const canceled = {
    status: 'canceled',
    canceled_at: world.at(),
    cancellation_reason: reason,
    next_action: null,
  } as const;
  update(world, 'payment_intent', intent, canceled, 'payment_intent.canceled');
}
