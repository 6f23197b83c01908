import type Stripe from 'stripe';
import { newId } from '../wire/errors.ts';
import { required, update, type World, idOf, type SessionDetails } from '../world.ts';
import {
  attach,
  authenticationRequired,
  type CardResult,
  charged,
  genericDecline,
  type Refusal,
  saved,
} from './cards.ts';
import { detailsOf } from './checkout.ts';
import { newCustomer } from './customers.ts';
import { newInvoice } from './invoice-drafts.ts';
import { boughtLine } from './invoice-lines.ts';
import { addPayment, markPaid, openDraft, pay } from './invoices.ts';
import { attempt, newIntent, scriptedFor } from './payments.ts';
import { startSubscription } from './subscriptions.ts';

export interface Buyer {
  readonly method: Stripe.PaymentMethod;
  readonly email: string | null;
  readonly name: string | null;
  /** Whether to save the card for later. */
  readonly savesCard: boolean;
  readonly isAuthenticated: boolean;
}

export type CheckoutResult =
  | { readonly is: 'complete'; readonly session: Stripe.Checkout.Session }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | { readonly is: 'authenticates' };

/** Pays an open session, or saves the card in setup mode. */
export function completeSession(world: World, session: Stripe.Checkout.Session, buyer: Buyer): CheckoutResult {
  const details = required(world, 'session_details', session.id);
  if (session.mode === 'payment') return payOnce(world, session, details, buyer);
  const result = session.mode === 'setup' ? saved(buyer.method, buyer) : subscriptionResult(world, session, buyer);
  if (result.is === 'refused') return result;
  if (result.is === 'authenticates') return wait(world, details, buyer);
  return session.mode === 'setup'
    ? saveCard(world, session, details, buyer)
    : subscribe(world, session, details, buyer);
}

const idsOf = (session: Stripe.Checkout.Session) => [
  session.id,
  session.client_reference_id,
  session.metadata?.['order'],
  idOf(session.customer),
];

/** Checked first, because a declined Checkout creates no subscription. */
function subscriptionResult(world: World, session: Stripe.Checkout.Session, buyer: Buyer): CardResult {
  const scripted = scriptedFor(world, idsOf(session));
  if (scripted === 'failed') return { is: 'refused', refusal: genericDecline };
  if (scripted === 'action_required' && !buyer.isAuthenticated) return { is: 'authenticates' };
  return charged(buyer.method, { ...buyer, offSession: false });
}

function wait(world: World, details: SessionDetails, buyer: Buyer): CheckoutResult {
  world.save('session_details', { ...details, waiting: buyer.method.id });
  return { is: 'authenticates' };
}

/** Fails the pending authentication of a card. */
export function refuseWaiting(world: World, session: Stripe.Checkout.Session): Refusal {
  const details = required(world, 'session_details', session.id);
  world.save('session_details', { ...details, waiting: null });
  const intent = world.find('payment_intent', idOf(session.payment_intent) ?? '');
  const message =
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
  if (intent)
    update(
      world,
      'payment_intent',
      intent,
      {
        status: 'requires_payment_method',
        next_action: null,
        payment_method: null,
        last_payment_error: { type: 'invalid_request_error', code: 'payment_intent_authentication_failure', message },
      },
      'payment_intent.payment_failed',
    );
  return { ...authenticationRequired, message };
}

function payOnce(
  world: World,
  session: Stripe.Checkout.Session,
  details: SessionDetails,
  buyer: Buyer,
): CheckoutResult {
  const customer = customerFor(world, session, buyer);
  const savesCard = details.savesCard || buyer.savesCard;
  const intent = intentFor(world, session, details, customer, savesCard);
  const started = update(world, 'checkout.session', session, { payment_intent: intent.id });
  const result = attempt(world, intent, {
    method: buyer.method,
    offSession: false,
    isAuthenticated: buyer.isAuthenticated,
    scripted: scriptedFor(world, idsOf(session)),
  });
  if (result.is === 'refused') return result;
  if (result.is === 'authenticates') return wait(world, details, buyer);
  if (savesCard && customer) attach(world, buyer.method, customer.id);
  const invoice =
    customer && session.invoice_creation?.enabled === true
      ? invoiceFor(world, started, details, customer, result.intent)
      : null;
  return complete(world, started, buyer, {
    payment_status: 'paid',
    customer: customer?.id ?? null,
    invoice: invoice?.id ?? null,
  });
}

export function intentFor(
  world: World,
  session: Stripe.Checkout.Session,
  details: SessionDetails,
  customer: Stripe.Customer | undefined,
  savesCard: boolean,
): Stripe.PaymentIntent {
  const started = world.find('payment_intent', idOf(session.payment_intent) ?? '');
  if (started) return started;
  return newIntent(world, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? 'usd',
    customer: customer?.id ?? null,
    description: details.intentDescription,
    metadata: details.intentMetadata,
    receiptEmail: details.receiptEmail,
    savesCard,
  });
}

/** Returns the session's customer. Creates one if the session, its invoice or the saved card requires it. */
export function customerFor(
  world: World,
  session: Stripe.Checkout.Session,
  buyer: Pick<Buyer, 'email' | 'name' | 'savesCard'>,
): Stripe.Customer | undefined {
  const known = idOf(session.customer);
  if (known !== null) return required(world, 'customer', known, 'customer');
  const isNeeded =
    session.mode !== 'payment' ||
    session.customer_creation === 'always' ||
    session.invoice_creation?.enabled === true ||
    buyer.savesCard ||
    world.find('session_details', session.id)?.savesCard === true;
  if (!isNeeded) return undefined;
  return newCustomer(world, { email: session.customer_email ?? buyer.email, name: buyer.name });
}

export function invoiceFor(
  world: World,
  session: Stripe.Checkout.Session,
  details: SessionDetails,
  customer: Stripe.Customer,
  intent: Stripe.PaymentIntent,
): Stripe.Invoice {
  const draft = newInvoice(
    world,
    {
      customer,
      currency: intent.currency,
      billingReason: 'manual',
      autoAdvance: false,
      description: details.invoiceDescription,
      metadata: details.invoiceMetadata,
    },
    (id) => details.lines.map((line) => boughtLine(id, line, world.at())),
  );
  const opened = openDraft(world, draft, customer, { due: intent.amount, endingBalance: customer.balance });
  addPayment(world, opened, intent, 'paid');
  return markPaid(world, opened, intent.amount);
}

function subscribe(
  world: World,
  session: Stripe.Checkout.Session,
  details: SessionDetails,
  buyer: Buyer,
): CheckoutResult {
  const customer = customerFor(world, session, buyer);
  const [line] = details.lines;
  if (!customer || !line?.price) throw new Error(`the session ${session.id} has no customer or price`);
  const method = attach(world, buyer.method, customer.id);
  const { subscription, invoice } = startSubscription(world, {
    customer,
    price: line.price,
    quantity: line.quantity ?? 1,
    metadata: details.subscriptionMetadata,
    description: details.subscriptionDescription,
    method: method.id,
  });
  if (!invoice) throw new Error(`the subscription ${subscription.id} has no first invoice`);
  if (invoice.status === 'open')
    pay(world, invoice, { method, offSession: false, isAuthenticated: buyer.isAuthenticated });
  return complete(world, session, buyer, {
    payment_status: 'paid',
    customer: customer.id,
    invoice: invoice.id,
    subscription: subscription.id,
  });
}

function saveCard(
  world: World,
  session: Stripe.Checkout.Session,
  details: SessionDetails,
  buyer: Buyer,
): CheckoutResult {
  const customer = customerFor(world, session, buyer);
  if (customer) attach(world, buyer.method, customer.id);
  const id = newId('seti');
  const intent: Stripe.SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${newId('x').slice(2)}`,
    created: world.at(),
    customer: customer?.id ?? null,
    customer_account: null,
    description: details.intentDescription,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: details.intentMetadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: buyer.method.id,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'succeeded',
    usage: 'off_session',
  };
  world.save('setup_intent', intent);
  world.emit('setup_intent.created', intent);
  world.emit('setup_intent.succeeded', intent);
  return complete(world, session, buyer, { customer: customer?.id ?? null, setup_intent: id });
}

export function complete(
  world: World,
  session: Stripe.Checkout.Session,
  { email, name }: Pick<Buyer, 'email' | 'name'>,
  changes: Partial<Stripe.Checkout.Session>,
): CheckoutResult {
  const known = session.customer_details;
  const completed = update(world, 'checkout.session', session, {
    ...changes,
    status: 'complete',
    url: null,
    customer_details: detailsOf(known?.email ?? session.customer_email ?? email, known?.name ?? name),
    ...(session.consent_collection?.terms_of_service === 'required' && {
      consent: { promotions: null, terms_of_service: 'accepted' as const },
    }),
  });
  world.emit('checkout.session.completed', completed);
  return { is: 'complete', session: completed };
}
