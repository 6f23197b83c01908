import type { PaymentProvider } from '#domain/payments/provider.ts';
import { stripeClient, type StripeSettings } from './client.ts';
import { paymentEvents } from './events.ts';
import { planRequests, stripePrices } from './plans.ts';
import { purchaseRequests } from './purchases.ts';
import { paymentReports } from './reports.ts';

/** Implements the payment provider with the package `stripe`. */
export function stripeProvider(settings: StripeSettings): PaymentProvider {
  const client = stripeClient(settings);
  const prices = stripePrices(client);
  return {
    ...purchaseRequests(client, prices),
    ...planRequests(client, prices),
    ...paymentReports(client),
    ...paymentEvents(client),
  };
}
