import { hash } from 'node:crypto';
import type Stripe from 'stripe';
import { currency } from '#contract/payments/payments.ts';
import type { Order, OrderRef } from '#domain/payments/order.ts';
import { ChargeRefused, type PaymentProvider, type SavedCard } from '#domain/payments/provider.ts';
import { codeOf, idOf, type StripeClient, unlessEnded } from './client.ts';
import type { StripePrices } from './plans.ts';

type Purchases = Pick<
  PaymentProvider,
  | 'createCustomer'
  | 'hasCustomer'
  | 'setEmail'
  | 'deleteCustomer'
  | 'openCheckout'
  | 'expireCheckouts'
  | 'savedCard'
  | 'startPlan'
  | 'chargeInvoice'
  | 'cancelCharge'
  | 'refund'
  | 'creditBalance'
  | 'portal'
>;

/** Requests for customers and their purchases. */
export function purchaseRequests({ call, find }: StripeClient, { monthly }: StripePrices): Purchases {
  return {
    async createCustomer(accountId, email, earlier = '') {
      const metadata = { account: String(accountId) };
      const options = { idempotencyKey: `customer-${accountId}-${hash('sha256', email).slice(0, 16)}${earlier}` };
      return (await call((stripe) => stripe.customers.create({ email, metadata }, options))).id;
    },
    async hasCustomer(customer) {
      const found = await find((stripe) => stripe.customers.retrieve(customer));
      return found !== undefined && !found.deleted;
    },
    async setEmail(customer, email) {
      await find((stripe) => stripe.customers.update(customer, { email }));
    },
    async deleteCustomer(customer) {
      await find((stripe) => stripe.customers.del(customer));
    },
    async openCheckout(order, { customer, title, successUrl, cancelUrl }) {
      const metadata = metadataOf(order);
      const isPlan = order.kind === 'plan';
      const price = isPlan
        ? await monthly(order.cents, title)
        : { currency, product_data: { name: title }, unit_amount: order.cents };
      const session = await call((stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: isPlan ? 'subscription' : 'payment',
            ui_mode: 'hosted_page',
            customer,
            client_reference_id: order.id,
            metadata,
            line_items: [{ price_data: price, quantity: 1 }],
            allowed_payment_method_types: ['card'],
            success_url: successUrl,
            cancel_url: cancelUrl,
            ...(order.expiresAt !== undefined && { expires_at: Math.floor(order.expiresAt / 1000) }),
            ...(isPlan
              ? { subscription_data: { metadata } }
              : {
                  invoice_creation: { enabled: true, invoice_data: { metadata } },
                  payment_intent_data: { metadata, description: title, setup_future_usage: 'off_session' },
                }),
          },
          { idempotencyKey: keyOf(order, 'checkout') },
        ),
      );
      if (!session.url) throw new Error('the checkout session has no page');
      return { session: session.id, url: session.url };
    },
    async expireCheckouts(customer) {
      await find(async (stripe) => {
        for await (const { id } of stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }))
          await stripe.checkout.sessions.expire(id).catch(unlessEnded);
      });
    },
    savedCard: (id) => call((stripe) => cardOf(stripe, id)),
    async startPlan(order, { customer, card }, title) {
      const price_data = await monthly(order.cents, title);
      const subscription = await call((stripe) =>
        stripe.subscriptions.create(
          {
            customer,
            items: [{ price_data }],
            default_payment_method: card.id,
            payment_behavior: 'error_if_incomplete',
            off_session: true,
            metadata: metadataOf(order),
          },
          { idempotencyKey: keyOf(order, 'plan') },
        ),
      );
      const invoice = idOf(subscription.latest_invoice);
      return { subscription: subscription.id, ...(invoice !== undefined && { invoice }) };
    },
    async chargeInvoice(order, { customer, card }, title) {
      const created = await call((stripe) =>
        stripe.invoices.create(
          {
            customer,
            auto_advance: false,
            collection_method: 'charge_automatically',
            pending_invoice_items_behavior: 'exclude',
            default_payment_method: card.id,
            metadata: metadataOf(order),
          },
          { idempotencyKey: keyOf(order, 'invoice') },
        ),
      );
      const { id: invoice } = created;
      const item = { customer, invoice, amount: order.cents, currency, description: title };
      await call((stripe) => stripe.invoiceItems.create(item, { idempotencyKey: keyOf(order, 'item') }));
      const final = await call((stripe) =>
        stripe.invoices.finalizeInvoice(invoice, { auto_advance: false }, { idempotencyKey: keyOf(order, 'final') }),
      );
      // Stripe marks a sum below its minimum as paid and carries it to the customer's balance.
      if (final.status === 'paid') return { invoice };
      try {
        const options = { idempotencyKey: keyOf(order, 'pay') };
        const request = { off_session: true, payment_method: card.id };
        await call((stripe) => stripe.invoices.pay(invoice, request, options));
      } catch (error) {
        if (!(error instanceof ChargeRefused)) throw error;
        if (error.reason === 'action_required') {
          const url = final.hosted_invoice_url ?? undefined;
          throw new ChargeRefused('action_required', { ids: { invoice }, url });
        }
        await call((stripe) => stripe.invoices.voidInvoice(invoice));
        throw new ChargeRefused(error.reason, { ids: { invoice } });
      }
      return { invoice };
    },
    async cancelCharge(invoice) {
      await call(async (stripe) => {
        const { status } = await stripe.invoices.retrieve(invoice);
        if (status === 'draft') await stripe.invoices.del(invoice).catch(unlessEnded);
        else await stripe.invoices.voidInvoice(invoice).catch(unlessEnded);
      });
    },
    async refund(payment, cents, idempotencyKey) {
      const request = { payment_intent: payment, amount: cents };
      return call((stripe) => stripe.refunds.create(request, { idempotencyKey }).then(() => true, falseIfDisputed));
    },
    async creditBalance(customer, cents, idempotencyKey) {
      const request = { amount: -cents, currency, metadata: { key: idempotencyKey } };
      await find(async (stripe) => {
        // Stripe forgets the key after a day.
        const { data } = await stripe.customers.listBalanceTransactions(customer, { limit: 100 });
        if (data.some(({ metadata }) => metadata?.['key'] === idempotencyKey)) return;
        await stripe.customers.createBalanceTransaction(customer, request, { idempotencyKey });
      });
    },
    async portal(customer, returnUrl) {
      return (await call((stripe) => stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }))).url;
    },
  };
}

async function cardOf(stripe: Stripe, id: string): Promise<SavedCard | undefined> {
  const customer = await stripe.customers.retrieve(id);
  if (customer.deleted) return undefined;
  const chosen = idOf(customer.invoice_settings.default_payment_method);
  const { data } = await stripe.customers.listPaymentMethods(id, { type: 'card', limit: 100 });
  const { id: card, card: facts } = data.find((method) => method.id === chosen) ?? data[0] ?? {};
  if (card === undefined || !facts) return undefined;
  return { id: card, brand: facts.brand, last4: facts.last4, expMonth: facts.exp_month, expYear: facts.exp_year };
}

const metadataOf = ({ accountId, id }: OrderRef) => ({ account: String(accountId), order: id });

const keyOf = ({ id }: Order, step: string): string => `${id}-${step}`;

function falseIfDisputed(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== 'charge_already_refunded' && code !== 'charge_disputed') throw error;
  return code === 'charge_already_refunded';
}
