import type Stripe from 'stripe';
import * as v from 'valibot';
import { invalidRequest, missing, StripeProblem } from '../wire/errors.ts';
import { oneOf, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { referenced, required, update, type World } from '../world.ts';
import { cardByToken, newPaymentMethod, saved } from './cards.ts';
import { idOf } from './types.ts';

/** Attaches the card to the customer. */
export function attach(world: World, method: Stripe.PaymentMethod, customer: string): Stripe.PaymentMethod {
  if (idOf(method.customer) === customer) return method;
  return update(world, 'payment_method', method, { customer }, 'payment_method.attached');
}

/** Removes the card from its customer and from everything that charges it. */
export function detach(world: World, method: Stripe.PaymentMethod): Stripe.PaymentMethod {
  const owner = world.find('customer', idOf(method.customer) ?? '');
  if (!owner)
    throw invalidRequest('The payment method you provided is not attached to a customer so detachment is impossible.');
  if (idOf(owner.invoice_settings.default_payment_method) === method.id)
    world.save('customer', { ...owner, invoice_settings: { ...owner.invoice_settings, default_payment_method: null } });
  for (const subscription of world.all('subscription'))
    if (idOf(subscription.default_payment_method) === method.id)
      world.save('subscription', { ...subscription, default_payment_method: null });
  return update(world, 'payment_method', method, { customer: null }, 'payment_method.detached');
}

/** Charges the customer's invoices and running subscriptions to the card from now on. */
export function makeDefault(world: World, id: string, method: string): void {
  const customer = required(world, 'customer', id);
  const settings = { ...customer.invoice_settings, default_payment_method: method };
  update(world, 'customer', customer, { invoice_settings: settings }, 'customer.updated');
  for (const subscription of world.all('subscription'))
    if (
      subscription.customer === id &&
      subscription.ended_at === null &&
      subscription.default_payment_method !== method
    )
      update(world, 'subscription', subscription, { default_payment_method: method }, 'customer.subscription.updated');
}

/** A card of the customer, or 400. */
export function cardOfCustomer(world: World, id: string, customer: string, param: string): Stripe.PaymentMethod {
  const method = referenced(world, 'payment_method', id, param);
  if (idOf(method.customer) !== customer)
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param },
    );
  return method;
}

/** Test tokens such as `pm_card_visa` are new cards at each use. */
function cardOrToken(world: World, id: string): Stripe.PaymentMethod {
  const card = cardByToken(id);
  if (!card) return required(world, 'payment_method', id, 'payment_method');
  const expYear = new Date(1000 * world.at()).getUTCFullYear() + 1;
  return newPaymentMethod(world, { number: card.number, expMonth: 12, expYear, name: null, email: null });
}

export const paymentMethodRoutes: readonly Route[] = [
  route('GET', '/v1/payment_methods/{id}', {}, ({ world, id }) => required(world, 'payment_method', id)),
  listRoute(
    '/v1/payment_methods',
    { customer: v.exactOptional(text()), type: v.exactOptional(oneOf(['card'])) },
    ({ world, params: { customer } }) => world.all('payment_method').filter((method) => method.customer === customer),
  ),
  listRoute('/v1/customers/{id}/payment_methods', { type: v.exactOptional(oneOf(['card'])) }, ({ world, id }) => {
    required(world, 'customer', id);
    return world.all('payment_method').filter((method) => method.customer === id);
  }),
  route('POST', '/v1/payment_methods/{id}/attach', { customer: text() }, ({ world, id, params: { customer } }) => {
    referenced(world, 'customer', customer, 'customer');
    const method = cardOrToken(world, id);
    const result = saved(method, { isAuthenticated: true });
    if (result.is === 'refused')
      throw new StripeProblem(402, {
        type: 'card_error',
        code: result.refusal.code,
        decline_code: result.refusal.declineCode,
        message: result.refusal.message,
      });
    return attach(world, method, customer);
  }),
  route('POST', '/v1/payment_methods/{id}/detach', {}, ({ world, id }) =>
    detach(world, required(world, 'payment_method', id)),
  ),
  route('GET', '/v1/customers/{id}/payment_methods/{method}', {}, ({ world, id, path }) => {
    const method = required(world, 'payment_method', path.split('/').at(-1) ?? '');
    if (method.customer !== id) throw missing('PaymentMethod', method.id);
    return method;
  }),
];
