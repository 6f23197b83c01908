import type Stripe from 'stripe';
import { newId } from '../wire/errors.ts';
import { type World, idOf } from '../world.ts';

export function blankCustomer(world: World): Stripe.Customer {
  const id = newId('cus', 14);
  return {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: world.at(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** A customer for a buyer without one. */
export function newCustomer(world: World, changes: Partial<Stripe.Customer>): Stripe.Customer {
  const customer = { ...blankCustomer(world), ...changes };
  world.save('customer', customer);
  world.emit('customer.created', customer);
  return customer;
}

/** The card that Stripe charges for the customer's invoices. */
export const defaultMethodOf = (world: World, customer: string | null): string | null =>
  idOf(world.find('customer', customer ?? '')?.invoice_settings.default_payment_method);
