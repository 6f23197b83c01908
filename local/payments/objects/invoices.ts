import type Stripe from 'stripe';
import { daySeconds } from '#contract/shared/time.ts';
import { invalidRequest, newId } from '../wire/errors.ts';
import { required, update, type World, idOf } from '../world.ts';
import type { Refusal } from './cards.ts';
import { defaultMethodOf } from './customers.ts';
import { amounts } from './invoice-drafts.ts';
import { cancelIntent, attempt, newIntent, scriptedFor } from './payments.ts';

/** Stripe charges at least 50 US cents; a smaller invoice is carried to the customer's balance. */
const minimumCharge = 50;

/** Finalizes a draft: numbers it, applies the customer's balance, and creates the payment intent. */
export function finalize(world: World, draft: Stripe.Invoice): Stripe.Invoice {
  if (draft.status !== 'draft')
    throw invalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.");
  const customer = required(world, 'customer', idOf(draft.customer) ?? '', 'customer');
  const sum = draft.total + customer.balance;
  const isCarried = sum < minimumCharge;
  const due = isCarried ? 0 : sum;
  const endingBalance = isCarried ? sum : 0;
  const opened = openDraft(world, draft, customer, { due, endingBalance });
  if (due === 0) return markPaid(world, opened);
  const intent = newIntent(world, {
    amount: due,
    currency: opened.currency,
    customer: customer.id,
    description: descriptionOf(opened),
    savesCard: opened.parent !== null,
  });
  addPayment(world, opened, intent, 'open');
  return opened;
}

/** Numbers a draft and makes it an open invoice over `due`. */
export function openDraft(
  world: World,
  draft: Stripe.Invoice,
  customer: Stripe.Customer,
  { due, endingBalance }: { due: number; endingBalance: number },
): Stripe.Invoice {
  const sequence = customer.next_invoice_sequence ?? 1;
  update(
    world,
    'customer',
    customer,
    { next_invoice_sequence: sequence + 1, balance: endingBalance },
    endingBalance === customer.balance ? undefined : 'customer.updated',
  );
  const opened = update(world, 'invoice', draft, {
    ...amounts(draft.total, due),
    status: 'open',
    number: `${customer.invoice_prefix ?? 'LOCAL'}-${String(sequence).padStart(4, '0')}`,
    starting_balance: customer.balance,
    ending_balance: endingBalance,
    automatically_finalizes_at: null,
    effective_at: world.at(),
    hosted_invoice_url: `${world.url}/invoices/${draft.id}`,
    invoice_pdf: `${world.url}/invoices/${draft.id}/pdf`,
    status_transitions: { ...draft.status_transitions, finalized_at: world.at() },
  });
  world.emit('invoice.finalized', opened);
  return opened;
}

const descriptionOf = ({ billing_reason: reason, number }: Stripe.Invoice): string => {
  if (reason === 'subscription_create') return 'Subscription creation';
  return reason === 'subscription_cycle' ? 'Subscription update' : `Payment for Invoice ${number}`;
};

/** Links a payment to the invoice. */
export function addPayment(
  world: World,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
  status: 'open' | 'paid',
): void {
  const isPaid = status === 'paid';
  const payment: Stripe.InvoicePayment = {
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: isPaid ? intent.amount : null,
    amount_requested: intent.amount,
    created: world.at(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status,
    status_transitions: { canceled_at: null, paid_at: isPaid ? world.at() : null },
  };
  world.save('invoice_payment', payment);
  if (isPaid) world.emit('invoice_payment.paid', payment);
}

export const paymentsOf = (world: World, invoice: string): Stripe.InvoicePayment[] =>
  world.all('invoice_payment').filter((payment) => payment.invoice === invoice);

/** The payment intent of the invoice, if it has one. */
export function intentOf(world: World, invoice: string): Stripe.PaymentIntent | undefined {
  const payment = paymentsOf(world, invoice).find(({ status }) => status !== 'canceled')?.payment;
  return world.find('payment_intent', idOf(payment?.payment_intent) ?? '');
}

/** Marks an invoice as paid, whether or not a card was charged. */
export function markPaid(world: World, invoice: Stripe.Invoice, amountPaid = 0): Stripe.Invoice {
  const paid = update(world, 'invoice', invoice, {
    status: 'paid',
    attempted: true,
    auto_advance: false,
    amount_paid: amountPaid,
    amount_remaining: 0,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: world.at() },
  });
  for (const payment of paymentsOf(world, invoice.id))
    if (payment.status === 'open') {
      const transitions = { ...payment.status_transitions, paid_at: world.at() };
      const changes = { status: 'paid', amount_paid: amountPaid, status_transitions: transitions };
      update(world, 'invoice_payment', payment, changes, 'invoice_payment.paid');
    }
  world.emit('invoice.updated', paid, { status: invoice.status });
  world.emit('invoice.paid', paid);
  world.emit('invoice.payment_succeeded', paid);
  settleSubscription(world, paid, true);
  return paid;
}

export type PayResult =
  | { readonly is: 'paid'; readonly invoice: Stripe.Invoice }
  | {
      readonly is: 'refused';
      readonly invoice: Stripe.Invoice;
      readonly intent: Stripe.PaymentIntent;
      readonly refusal: Refusal;
    }
  | { readonly is: 'authenticates'; readonly invoice: Stripe.Invoice; readonly intent: Stripe.PaymentIntent }
  | { readonly is: 'no_card'; readonly invoice: Stripe.Invoice };

export interface PayOptions {
  readonly method?: Stripe.PaymentMethod;
  readonly offSession: boolean;
  readonly isAuthenticated?: boolean;
  /** Schedules a retry if the charge fails. */
  readonly isAutomatic?: boolean;
}

/** The card that the invoice is charged to by default. */
export function methodFor(world: World, invoice: Stripe.Invoice): Stripe.PaymentMethod | undefined {
  const subscription = world.find('subscription', subscriptionOf(invoice) ?? '');
  const id =
    idOf(invoice.default_payment_method) ??
    idOf(subscription?.default_payment_method) ??
    defaultMethodOf(world, idOf(invoice.customer));
  return world.find('payment_method', id ?? '');
}

export const subscriptionOf = (invoice: Stripe.Invoice): string | null =>
  idOf(invoice.parent?.subscription_details?.subscription);

/** Charges an open invoice. */
export function pay(world: World, invoice: Stripe.Invoice, options: PayOptions): PayResult {
  const intent = intentOf(world, invoice.id);
  if (!intent) throw invalidRequest('This invoice has no payment.');
  const method = options.method ?? methodFor(world, invoice);
  if (!method) return { is: 'no_card', invoice: noteFailure(world, invoice, options) };
  const ids = [invoice.id, intent.id, subscriptionOf(invoice), invoice.metadata?.['order'], idOf(invoice.customer)];
  const result = attempt(world, intent, { ...options, method, scripted: scriptedFor(world, ids) });
  if (result.is === 'paid')
    return {
      is: 'paid',
      invoice: markPaid(world, { ...invoice, attempt_count: invoice.attempt_count + 1 }, intent.amount),
    };
  if (result.is === 'authenticates') return { ...result, invoice };
  const failed = noteFailure(world, invoice, options);
  if (result.refusal.code === 'authentication_required') world.emit('invoice.payment_action_required', failed);
  return { ...result, invoice: failed };
}

function noteFailure(world: World, invoice: Stripe.Invoice, { isAutomatic = false }: PayOptions): Stripe.Invoice {
  const days = world.retryDays[invoice.attempt_count];
  const next = isAutomatic && days !== undefined ? world.at() + days * daySeconds : null;
  const failed = update(world, 'invoice', invoice, {
    attempted: true,
    attempt_count: invoice.attempt_count + 1,
    next_payment_attempt: isAutomatic ? next : invoice.next_payment_attempt,
  });
  world.emit('invoice.updated', failed, { attempt_count: invoice.attempt_count });
  world.emit('invoice.payment_failed', failed);
  settleSubscription(world, failed, false);
  return failed;
}

/** A paid invoice activates its subscription; a failed one makes it past due. */
function settleSubscription(world: World, invoice: Stripe.Invoice, isPaid: boolean): void {
  const subscription = world.find('subscription', subscriptionOf(invoice) ?? '');
  if (!subscription || idOf(subscription.latest_invoice) !== invoice.id) return;
  const { status } = subscription;
  const next = isPaid && (status === 'incomplete' || status === 'past_due') ? 'active' : status;
  const changed = !isPaid && status === 'active' ? 'past_due' : next;
  if (changed !== status)
    update(world, 'subscription', subscription, { status: changed }, 'customer.subscription.updated');
}

/** Voids an open invoice and cancels its payment. */
export function voidInvoice(world: World, invoice: Stripe.Invoice): Stripe.Invoice {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalidRequest(`You can only pass in open invoices. This invoice isn't open.`);
  for (const payment of paymentsOf(world, invoice.id)) {
    world.save('invoice_payment', {
      ...payment,
      status: 'canceled',
      status_transitions: { ...payment.status_transitions, canceled_at: world.at() },
    });
    cancelIntent(world, idOf(payment.payment.payment_intent), 'void_invoice');
  }
  return update(
    world,
    'invoice',
    invoice,
    {
      status: 'void',
      auto_advance: false,
      next_payment_attempt: null,
      status_transitions: { ...invoice.status_transitions, voided_at: world.at() },
    },
    'invoice.voided',
  );
}
