import type Stripe from 'stripe';
import { cardByNumber, newPaymentMethod } from './objects/cards.ts';
import { chargeOf, failRefund, refund } from './objects/charges.ts';
import { complete, completeSession, customerFor, intentFor, invoiceFor } from './objects/checkout-payment.ts';
import { expireSession } from './objects/checkout.ts';
import { closeDispute, openDispute, openDisputeOf, warnOfFraud } from './objects/disputes.ts';
import { finalize, methodFor, pay, subscriptionOf, voidInvoice } from './objects/invoices.ts';
import { attempt } from './objects/payments.ts';
import { collect } from './objects/subscriptions.ts';
import type { Outcome } from './outcomes.ts';
import { invalidRequest } from './wire/errors.ts';
import { idOf, type ScriptedOutcome, required, update, type World } from './world.ts';

/**
 * Makes `outcome` happen to a session, invoice, payment, subscription, customer, refund or dispute. `id` is its id, or
 * the `order` of its metadata or `client_reference_id`. Throws a StripeProblem if it cannot happen.
 */
export function runScript(world: World, id: string, outcome: Outcome): void {
  const session = sessionOf(world, id);
  if (session?.status === 'open') return scriptSession(world, session, outcome);
  const dispute = world.find('dispute', id);
  if (dispute && (outcome === 'won' || outcome === 'lost')) return void closeDispute(world, dispute, outcome);
  const refunded = world.find('refund', id);
  if (refunded && outcome === 'refund_failed') return void failRefund(world, refunded);
  if (world.find('customer', id)) return scriptCustomer(world, id, outcome);
  const subscription = world.find('subscription', id);
  if (subscription) return scriptSubscription(world, subscription, outcome);
  const invoice = invoiceOf(world, id);
  if (invoice?.status === 'open' || invoice?.status === 'draft') return scriptInvoice(world, invoice, outcome);
  if (session && isProcessing(world, session)) return finishProcessing(world, session, outcome);
  const intent = world.find('payment_intent', id) ?? intentOfAny(world, session, invoice);
  const ordered = world.all('subscription').findLast((one) => one.metadata['order'] === id);
  if (!intent && ordered) return scriptSubscription(world, ordered, outcome);
  if (!intent) throw invalidRequest(`No customer, session, invoice, payment, subscription or order is named '${id}'.`);
  reverse(world, intent, outcome);
}

function sessionOf(world: World, id: string): Stripe.Checkout.Session | undefined {
  return (
    world.find('checkout.session', id) ??
    world.all('checkout.session').findLast((one) => one.client_reference_id === id || one.metadata?.['order'] === id)
  );
}

const invoiceOf = (world: World, id: string): Stripe.Invoice | undefined =>
  world.find('invoice', id) ?? world.all('invoice').findLast((one) => one.metadata?.['order'] === id);

function intentOfAny(world: World, session?: Stripe.Checkout.Session, invoice?: Stripe.Invoice) {
  const paid = idOf(session?.invoice) ?? invoice?.id;
  const payment = world.all('invoice_payment').findLast((one) => one.invoice === paid);
  return world.find('payment_intent', idOf(session?.payment_intent) ?? idOf(payment?.payment.payment_intent) ?? '');
}

function testCard(world: World, number: string, customer: Stripe.Customer | undefined): Stripe.PaymentMethod {
  const { number: known } = cardByNumber(number) ?? { number };
  const expYear = new Date(1000 * world.at()).getUTCFullYear() + 3;
  const [name, email] = [customer?.name ?? null, customer?.email ?? null];
  return newPaymentMethod(world, { number: known, expMonth: 12, expYear, name, email });
}

function scriptSession(world: World, session: Stripe.Checkout.Session, outcome: Outcome): void {
  const customer = world.find('customer', idOf(session.customer) ?? '');
  const buyer = { email: customer?.email ?? session.customer_email, name: customer?.name ?? null };
  if (outcome === 'expired') return void expireSession(world, session);
  if (outcome === 'action_required') return setOutcome(world, session.id, 'action_required');
  if (outcome === 'paid') {
    clearOutcome(world, session.id);
    const method = testCard(world, '4242424242424242', customer);
    const result = completeSession(world, session, { ...buyer, method, savesCard: false, isAuthenticated: true });
    if (result.is !== 'complete') throw invalidRequest('The session could not be completed.');
    return;
  }
  if (outcome !== 'failed' && outcome !== 'processing') throw impossible(session.id, outcome);
  if (session.mode !== 'payment') return setOutcome(world, session.id, 'failed');
  const started = startProcessing(world, session);
  if (outcome === 'failed') finishProcessing(world, started, 'failed');
}

/** Completes the session unpaid, as with a bank transfer, which succeeds or fails later. */
function startProcessing(world: World, session: Stripe.Checkout.Session): Stripe.Checkout.Session {
  const details = required(world, 'session_details', session.id);
  const buyer = { email: session.customer_email, name: null, savesCard: false };
  const customer = customerFor(world, session, buyer);
  const intent = intentFor(world, session, details, customer, details.savesCard);
  const processing = update(world, 'payment_intent', intent, { status: 'processing' }, 'payment_intent.processing');
  const result = complete(world, session, buyer, {
    payment_intent: processing.id,
    customer: customer?.id ?? null,
  });
  return result.is === 'complete' ? result.session : session;
}

const isProcessing = (world: World, session: Stripe.Checkout.Session): boolean =>
  world.find('payment_intent', idOf(session.payment_intent) ?? '')?.status === 'processing';

function finishProcessing(world: World, session: Stripe.Checkout.Session, outcome: Outcome): void {
  if (outcome !== 'paid' && outcome !== 'failed') throw impossible(session.id, outcome);
  const intent = required(world, 'payment_intent', idOf(session.payment_intent) ?? '');
  const customer = world.find('customer', idOf(session.customer) ?? '');
  const method = testCard(world, outcome === 'paid' ? '4242424242424242' : '4000000000000002', customer);
  const result = attempt(world, intent, { method, offSession: true });
  if (result.is !== 'paid') return world.emit('checkout.session.async_payment_failed', session);
  const details = required(world, 'session_details', session.id);
  const invoice =
    customer && session.invoice_creation?.enabled === true
      ? invoiceFor(world, session, details, customer, result.intent)
      : null;
  const paid = update(world, 'checkout.session', session, { payment_status: 'paid', invoice: invoice?.id ?? null });
  world.emit('checkout.session.async_payment_succeeded', paid);
}

/** Applies to all later payments of the customer until the outcome `paid`. */
function scriptCustomer(world: World, id: string, outcome: Outcome): void {
  if (outcome === 'paid') return clearOutcome(world, id);
  if (outcome !== 'failed' && outcome !== 'action_required') throw impossible(id, outcome);
  setOutcome(world, id, outcome);
}

/** Applies to the open invoice, and to later renewals until the outcome `paid`. */
function scriptSubscription(world: World, subscription: Stripe.Subscription, outcome: Outcome): void {
  const invoice = world.find('invoice', idOf(subscription.latest_invoice) ?? '');
  if (outcome === 'failed' || outcome === 'action_required') return setOutcome(world, subscription.id, outcome);
  if (outcome === 'paid') {
    clearOutcome(world, subscription.id);
    if (invoice?.status === 'open' || invoice?.status === 'draft') scriptInvoice(world, invoice, 'paid');
    return;
  }
  const intent = intentOfAny(world, undefined, invoice);
  if (!intent) throw impossible(subscription.id, outcome);
  reverse(world, intent, outcome);
}

function scriptInvoice(world: World, invoice: Stripe.Invoice, outcome: Outcome): void {
  if (outcome === 'expired') return void voidInvoice(world, invoice);
  const opened = invoice.status === 'draft' ? finalize(world, invoice) : invoice;
  if (opened.status === 'paid') return;
  if (outcome === 'failed' || outcome === 'action_required') {
    setOutcome(world, invoice.id, outcome);
    if (methodFor(world, opened)) collect(world, opened);
    return;
  }
  if (outcome !== 'paid') throw impossible(invoice.id, outcome);
  for (const id of [invoice.id, subscriptionOf(invoice), idOf(invoice.customer)]) clearOutcome(world, id ?? '');
  const method = testCard(world, '4242424242424242', world.find('customer', idOf(invoice.customer) ?? ''));
  pay(world, opened, { method, offSession: false, isAuthenticated: true });
}

function reverse(world: World, intent: Stripe.PaymentIntent, outcome: Outcome): void {
  if (outcome === 'refund_failed') {
    const last = world.all('refund').findLast((one) => one.payment_intent === intent.id && one.status !== 'failed');
    if (!last) throw impossible(intent.id, outcome);
    return void failRefund(world, last);
  }
  if (outcome === 'won' || outcome === 'lost') {
    const dispute = openDisputeOf(world, intent.id);
    if (!dispute) throw impossible(intent.id, outcome);
    return void closeDispute(world, dispute, outcome);
  }
  if (outcome === 'refunded') return void refund(world, chargeOf(world, intent));
  if (outcome === 'disputed') return void openDispute(world, chargeOf(world, intent), 'needs_response');
  if (outcome === 'fraud_warning') return warnOfFraud(world, chargeOf(world, intent));
  if (outcome === 'inquiry') return void openDispute(world, chargeOf(world, intent), 'warning_needs_response');
  throw impossible(intent.id, outcome);
}

function setOutcome(world: World, id: string, outcome: ScriptedOutcome['outcome']): void {
  world.save('scripted_outcome', { id, object: 'scripted_outcome', outcome });
}

function clearOutcome(world: World, id: string): void {
  if (world.find('scripted_outcome', id)) world.remove('scripted_outcome', id);
}

const impossible = (id: string, outcome: Outcome) => invalidRequest(`'${outcome}' cannot happen to ${id} now.`);
