import type Stripe from 'stripe';
import { newId } from '../wire/errors.ts';
import { type World, idOf } from '../world.ts';
import { decimalOf } from './prices.ts';

interface NewLine {
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly period: { readonly start: number; readonly end: number };
  readonly quantity: number;
  readonly price: Stripe.Price | null;
  readonly metadata: Record<string, string>;
  readonly parent: Stripe.InvoiceLineItem.Parent | null;
  readonly subscription?: string;
}

function newLine(invoice: string, line: NewLine): Stripe.InvoiceLineItem {
  const { price } = line;
  return {
    id: newId('il'),
    object: 'line_item',
    amount: line.amount,
    currency: line.currency,
    description: line.description,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: false,
    metadata: line.metadata,
    parent: line.parent,
    period: line.period,
    pretax_credit_amounts: [],
    pricing: price && {
      type: 'price_details',
      price_details: { price: price.id, product: idOf(price.product) ?? '' },
      unit_amount_decimal: decimalOf(price.unit_amount ?? 0),
    },
    quantity: line.quantity,
    quantity_decimal: decimalOf(line.quantity),
    subscription: line.subscription ?? null,
    subtotal: line.amount,
    taxes: [],
  };
}

/** The line of an invoice item. */
export const itemLine = (
  invoice: string,
  item: Stripe.InvoiceItem,
  price: Stripe.Price | null,
): Stripe.InvoiceLineItem =>
  newLine(invoice, {
    amount: item.amount,
    currency: item.currency,
    description: item.description ?? '',
    period: item.period,
    quantity: item.quantity,
    price,
    metadata: item.metadata ?? {},
    parent: {
      type: 'invoice_item_details',
      invoice_item_details: { invoice_item: item.id, proration: false, proration_details: null, subscription: null },
      subscription_item_details: null,
    },
  });

/** The line of a subscription's period. */
export function periodLine(
  world: World,
  invoice: string,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  period: { start: number; end: number },
): Stripe.InvoiceLineItem {
  const { price, quantity = 1 } = item;
  const unit = price.unit_amount ?? 0;
  const name = world.find('product', idOf(price.product) ?? '')?.name ?? 'Subscription';
  return newLine(invoice, {
    amount: unit * quantity,
    currency: price.currency,
    description: `${quantity} × ${name} (at ${money(unit, price.currency)} / ${price.recurring?.interval ?? 'month'})`,
    period,
    quantity,
    price,
    metadata: subscription.metadata,
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: null,
        subscription: subscription.id,
        subscription_item: item.id,
      },
    },
    subscription: subscription.id,
  });
}

/** The line of an item that was bought in Checkout. */
export const boughtLine = (invoice: string, item: Stripe.LineItem, at: number): Stripe.InvoiceLineItem =>
  newLine(invoice, {
    amount: item.amount_total,
    currency: item.currency,
    description: item.description ?? '',
    period: { start: at, end: at },
    quantity: item.quantity ?? 1,
    price: item.price,
    metadata: {},
    parent: null,
  });

/** A card's display name, such as `Visa •••• 4242`. */
export function cardName({ card }: Stripe.PaymentMethod): string {
  const brand = card?.brand ?? 'card';
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} •••• ${card?.last4 ?? ''}`;
}

/** A formatted amount, such as `$29.99`. */
export const money = (cents: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(cents / 100);
