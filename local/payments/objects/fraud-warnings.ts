import type Stripe from 'stripe';
import * as v from 'valibot';
import { newId } from '../wire/errors.ts';
import { text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { required, type World } from '../world.ts';
import { idOf } from './types.ts';

/** Reports a payment as probably fraudulent, before a dispute. */
export function warnOfFraud(world: World, charge: Stripe.Charge): void {
  const warning: Stripe.Radar.EarlyFraudWarning = {
    id: newId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: world.at(),
    fraud_type: 'unauthorized_use_of_card',
    livemode: false,
    payment_intent: idOf(charge.payment_intent) ?? '',
  };
  world.save('radar.early_fraud_warning', warning);
  world.emit('radar.early_fraud_warning.created', warning);
}

export const fraudWarningRoutes: readonly Route[] = [
  route('GET', '/v1/radar/early_fraud_warnings/{id}', {}, ({ world, id }) =>
    required(world, 'radar.early_fraud_warning', id),
  ),
  listRoute(
    '/v1/radar/early_fraud_warnings',
    { charge: v.exactOptional(text()), payment_intent: v.exactOptional(text()) },
    ({ world, params: { charge, payment_intent: intent } }) =>
      world
        .all('radar.early_fraud_warning')
        .filter(
          (warning) =>
            (charge === undefined || warning.charge === charge) &&
            (intent === undefined || warning.payment_intent === intent),
        ),
  ),
];
