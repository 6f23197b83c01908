import { hash } from 'node:crypto';
import { currency } from '#contract/payments/payments.ts';
import type { PaymentProvider } from '#domain/payments/provider.ts';
import { codeOf, idOf, priceOf, type StripeClient, unlessEnded } from './client.ts';

type Plans = Pick<
  PaymentProvider,
  'plan' | 'changeDraft' | 'collectFrom' | 'runningPlans' | 'setPrice' | 'endWithPeriod' | 'stop'
>;

/** Requests about the subscriptions that charge for plans. */
export function planRequests({ call, find }: StripeClient, { monthly }: StripePrices): Plans {
  return {
    async plan(id) {
      const subscription = await find((stripe) => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }));
      const [item] = subscription?.items.data ?? [];
      if (!subscription || !item) return undefined;
      const { latest_invoice: latest } = subscription;
      const isDraft = typeof latest === 'object' && latest?.status === 'draft';
      return {
        id,
        customer: idOf(subscription.customer) ?? '',
        isEnded: subscription.status === 'canceled' || subscription.status === 'incomplete_expired',
        cents: item.price.unit_amount ?? -1,
        endsWithPeriod: subscription.cancel_at_period_end,
        period: { start: item.current_period_start, end: item.current_period_end },
        ...(isDraft && { draft: { invoice: latest.id, cents: priceOf(latest) } }),
      };
    },
    async changeDraft({ id, customer, draft }, cents, title) {
      if (!draft) return;
      const { invoice, cents: before } = draft;
      const item = { customer, invoice, amount: cents - before, currency, description: title };
      const options = { idempotencyKey: `${id}-${invoice}-${before}-${cents}` };
      await call((stripe) => stripe.invoiceItems.create(item, options).catch(unlessEnded));
    },
    async collectFrom({ accountId, anchor, cents }, { customer, card }, title, idempotencyKey) {
      const price_data = await monthly(cents, title);
      const at = new Date(anchor * 1000);
      const created = await call((stripe) =>
        stripe.subscriptions.create(
          {
            customer,
            items: [{ price_data }],
            default_payment_method: card.id,
            // A start in a month without the 31st would otherwise move all later renewals.
            billing_cycle_anchor_config: {
              day_of_month: at.getUTCDate(),
              hour: at.getUTCHours(),
              minute: at.getUTCMinutes(),
              second: at.getUTCSeconds(),
            },
            proration_behavior: 'none',
            off_session: true,
            metadata: { account: String(accountId) },
          },
          { idempotencyKey },
        ),
      );
      return created.id;
    },
    async runningPlans(customer) {
      const found = await find((stripe) => stripe.subscriptions.list({ customer, limit: 100 }));
      return (found?.data ?? []).map(({ id, created }) => ({ id, createdAt: created * 1000 }));
    },
    async setPrice(id, cents, title) {
      const price_data = await monthly(cents, title);
      await call(async (stripe) => {
        const { items } = await stripe.subscriptions.retrieve(id);
        const [item] = items.data;
        if (!item) throw new Error(`the subscription ${id} has no item`);
        await stripe.subscriptions.update(id, { items: [{ id: item.id, price_data }], proration_behavior: 'none' });
      });
    },
    async endWithPeriod(id, ends) {
      await call((stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: ends }));
    },
    async stop(id) {
      await call(async (stripe) => {
        for (const status of ['draft', 'open'] as const) {
          for await (const invoice of stripe.invoices.list({ subscription: id, status })) {
            if (!invoice.id) continue;
            // Stripe does not delete drafts of subscriptions, and voids only finalized invoices.
            if (status === 'draft')
              await stripe.invoices.finalizeInvoice(invoice.id, { auto_advance: false }).catch(unlessEnded);
            await stripe.invoices.voidInvoice(invoice.id).catch(unlessEnded);
          }
        }
        // The last request, so that all are repeated after a failure.
        await stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false }).catch(unlessEnded);
      });
    },
  };
}

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
