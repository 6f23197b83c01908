import { hash } from 'node:crypto';
import { currency } from '#contract/payments/payments.ts';
import { codeOf, type StripeClient } from './client.ts';

export type StripePrices = ReturnType<typeof stripePrices>;

/** Prices of subscriptions need a product, which the first use of a title creates. */
export function stripePrices({ call }: StripeClient) {
  const products = new Set<string>();

  async function product(title: string): Promise<string> {
    const id = `plan_${hash('sha256', title).slice(0, 24)}`;
    if (products.has(id)) return id;
    await call((stripe) =>
      stripe.products.create({ id, name: title }).catch((error: unknown) => {
        if (codeOf(error) !== 'resource_already_exists') throw error;
      }),
    );
    products.add(id);
    return id;
  }

  async function monthly(cents: number, title: string) {
    return { currency, product: await product(title), unit_amount: cents, recurring: { interval: 'month' } } as const;
  }

  return { monthly };
}
