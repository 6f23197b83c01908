import type Stripe from 'stripe';
import { daySeconds } from '#contract/shared/time.ts';
import { newId } from '../wire/errors.ts';
import { update, type World, idOf } from '../world.ts';
import { newInvoice } from './invoice-drafts.ts';
import { periodLine } from './invoice-lines.ts';
import { finalize, pay, type PayResult } from './invoices.ts';
import { decimalOf } from './prices.ts';

interface Recurrence {
  readonly interval: string;
  readonly interval_count: number;
}

const fixedSeconds: Readonly<Record<string, number>> = { day: daySeconds, week: 7 * daySeconds };

/**
 * The end of the billing period that contains `at`: the first multiple of the interval after it, counted from the
 * anchor. Months without the anchor's day end on their last day. Seconds.
 */
function periodEnd(anchor: number, { interval, interval_count: count }: Recurrence, at: number): number {
  const fixed = fixedSeconds[interval];
  if (fixed !== undefined) {
    const step = fixed * count;
    return anchor + (Math.floor((at - anchor) / step) + 1) * step;
  }
  const months = count * (interval === 'year' ? 12 : 1);
  const from = new Date(1000 * anchor);
  const to = new Date(1000 * at);
  const distance = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  let step = Math.max(0, Math.floor(distance / months) - 1);
  while (addMonths(anchor, step * months) <= at) step += 1;
  return addMonths(anchor, step * months);
}

function addMonths(seconds: number, months: number): number {
  const date = new Date(1000 * seconds);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime() / 1000;
}

/** Seconds after which a subscription whose first invoice was not paid expires. */
export const incompleteSeconds = 23 * 3600;

export interface NewSubscription {
  readonly customer: Stripe.Customer;
  readonly price: Stripe.Price;
  readonly quantity: number;
  readonly metadata: Record<string, string>;
  readonly description: string | null;
  readonly method: string | null;
  /** Starts the first full period later, without a charge until then. Seconds; the months are counted from it. */
  readonly anchor?: number | undefined;
}

/** Saves an incomplete subscription with its first invoice open, unless nothing is due. */
export function startSubscription(world: World, options: NewSubscription) {
  const { customer, price, quantity, metadata, description, method } = options;
  const at = world.at();
  const { anchor = at } = options;
  const id = newId('sub');
  const end = periodEnd(anchor, recurrenceOf(price), at);
  const item: Stripe.SubscriptionItem = {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: at,
    current_period_end: end,
    current_period_start: at,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription: id,
    tax_rates: [],
  };
  const blank: Stripe.Subscription = {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { type: 'flexible', flexible: { proration_discounts: 'included' } },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: at,
    currency: price.currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: method,
    default_source: null,
    default_tax_rates: [],
    description,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: { object: 'list', data: [item], has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: 'off' },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: at,
    status: 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: null,
  };
  world.save('subscription', blank);
  world.emit('customer.subscription.created', blank);
  if (options.anchor !== undefined) {
    const active = update(world, 'subscription', blank, { status: 'active' }, 'customer.subscription.updated');
    return { subscription: active, invoice: undefined };
  }
  const draft = newInvoice(
    world,
    {
      customer,
      currency: price.currency,
      billingReason: 'subscription_create',
      autoAdvance: false,
      subscription: blank,
    },
    (invoice) => [periodLine(world, invoice, blank, item, { start: at, end })],
  );
  const subscription = update(world, 'subscription', blank, { latest_invoice: draft.id });
  return { subscription, invoice: finalize(world, draft) };
}

export const recurrenceOf = ({ recurring }: Stripe.Price) => recurring ?? { interval: 'month', interval_count: 1 };

/** The item of a subscription. This server allows exactly one. */
export function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = subscription.items.data;
  if (!item) throw new Error(`the subscription ${subscription.id} has no item`);
  return item;
}

/** Starts the next period and drafts its invoice, or ends the subscription. */
export function renew(world: World, subscription: Stripe.Subscription): void {
  if (subscription.cancel_at_period_end) return void cancel(world, subscription);
  const item = itemOf(subscription);
  const start = item.current_period_end;
  const end = periodEnd(subscription.billing_cycle_anchor, recurrenceOf(item.price), start);
  const renewed = { ...item, current_period_start: start, current_period_end: end };
  const items = { ...subscription.items, data: [renewed] };
  const customer = world.find('customer', idOf(subscription.customer) ?? '');
  if (!customer) return void cancel(world, subscription);
  const invoice = newInvoice(
    world,
    {
      customer,
      currency: item.price.currency,
      billingReason: 'subscription_cycle',
      autoAdvance: true,
      subscription,
      period: { start: item.current_period_start, end: start },
    },
    (id) => [periodLine(world, id, subscription, renewed, { start, end })],
  );
  update(world, 'subscription', subscription, { items, latest_invoice: invoice.id }, 'customer.subscription.updated');
}

/** Opens the draft of a renewal and charges the saved card. */
export function collect(world: World, invoice: Stripe.Invoice): PayResult {
  const opened = invoice.status === 'draft' ? finalize(world, invoice) : invoice;
  return opened.status === 'paid'
    ? { is: 'paid', invoice: opened }
    : pay(world, opened, { offSession: true, isAutomatic: opened.auto_advance === true });
}

/** Ends the subscription now. Its invoices stay open but are no longer collected automatically. */
export function cancel(world: World, subscription: Stripe.Subscription, comment: string | null = null) {
  const at = world.at();
  for (const invoice of world.all('invoice'))
    if (idOf(invoice.parent?.subscription_details?.subscription) === subscription.id && invoice.auto_advance === true)
      world.save('invoice', {
        ...invoice,
        auto_advance: false,
        automatically_finalizes_at: null,
        next_payment_attempt: null,
      });
  return update(
    world,
    'subscription',
    subscription,
    {
      status: subscription.status === 'incomplete' ? 'incomplete_expired' : 'canceled',
      canceled_at: subscription.canceled_at ?? at,
      ended_at: at,
      cancellation_details: {
        comment,
        feedback: null,
        feedback_option: null,
        reason: 'cancellation_requested',
      },
    },
    'customer.subscription.deleted',
  );
}

/** The plan of older versions that items still show. */
export const planOf = (price: Stripe.Price): Stripe.Plan => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  amount_decimal: decimalOf(price.unit_amount ?? 0),
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.recurring?.interval ?? 'month',
  interval_count: price.recurring?.interval_count ?? 1,
  livemode: false,
  metadata: price.metadata,
  meter: null,
  nickname: price.nickname,
  product: idOf(price.product),
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: 'licensed',
});
