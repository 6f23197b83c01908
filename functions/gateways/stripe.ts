import { hash } from 'node:crypto';
import { SecretsProvider } from '@aws-lambda-powertools/parameters/secrets';
import Stripe from 'stripe';
import * as v from 'valibot';
import { limitedTo } from '#aws/timeouts.ts';
import { currency } from '#contract/payments/payments.ts';
import { isLiveKey, StripeSecret } from '#contract/payments/stripe-secret.ts';
import type { Order, OrderRef, ProviderIds } from '#domain/payments/order.ts';
import {
  ChargeRefused,
  type EventSubject,
  ForgedEvent,
  type PaymentProvider,
  type PaymentReport,
  ProviderUnavailable,
  type SavedCard,
} from '#domain/payments/provider.ts';

export interface StripeSettings {
  /** Name of the secret in Secrets Manager, or its value. */
  readonly secret: { readonly name: string } | { readonly value: string };
  /** Origin of the API, if it is not Stripe's. */
  readonly api: string | undefined;
}

/** Milliseconds of a request. Stripe's own limit is 80 s, longer than a function runs. */
const timeout = 8000;
const secretSeconds = 300;
const secretTimeout = 3000;

/** Seconds by which the time in a signature may differ from now. The package accepts any time in the future. */
const oldest = 300;
const newest = 60;

/** The bank will not accept the card at any later time (Stripe "Decline codes"). */
const hardDeclines = new Set([
  'card_not_supported',
  'expired_card',
  'fraudulent',
  'incorrect_number',
  'invalid_account',
  'lost_card',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'security_violation',
  'stolen_card',
  'stop_payment_order',
]);

/** The bank asks for a confirmation (Stripe "Error codes"). */
const asks = new Set([
  'authentication_required',
  'invoice_payment_intent_requires_action',
  'subscription_payment_intent_requires_action',
]);

/** Statuses of disputes in which Stripe has withdrawn the amount. Inquiries (`warning_…`) take nothing. */
const takenStatuses = new Set(['needs_response', 'under_review', 'lost']);

export function stripeProvider(settings: StripeSettings): PaymentProvider {
  const read = secretsReader(settings.secret);
  let client: { readonly key: string; readonly stripe: Stripe } | undefined;
  const products = new Set<string>();

  async function stripe(): Promise<Stripe> {
    const { apiKey } = await read();
    if (client?.key !== apiKey) client = { key: apiKey, stripe: new Stripe(apiKey, options(settings.api)) };
    return client.stripe;
  }

  async function call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await work(await stripe());
    } catch (error) {
      throw translated(error);
    }
  }

  const find = <T>(work: (stripe: Stripe) => Promise<T>): Promise<T | undefined> =>
    call((stripe) => work(stripe).catch(undefinedIfMissing));

  /** Prices of subscriptions need a product, which the first use creates. */
  async function product(title: string): Promise<string> {
    const id = `plan_${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;
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

  async function paymentFacts(payment: string | undefined) {
    if (payment === undefined) return {};
    const { latest_charge: charge } = await call((stripe) =>
      stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] }),
    );
    if (!charge || typeof charge === 'string') return { payment };
    const disputes = charge.disputed
      ? await call((stripe) => stripe.disputes.list({ payment_intent: payment }))
      : undefined;
    const taken = disputes?.data.filter(({ status }) => takenStatuses.has(status)) ?? [];
    return {
      payment,
      chargedCents: charge.amount_captured,
      refundedCents: charge.amount_refunded,
      disputedCents: taken.reduce((sum, { amount }) => sum + amount, 0),
      ...(charge.receipt_url !== null && { receiptUrl: charge.receipt_url }),
    };
  }

  async function invoiceReport(id: string): Promise<PaymentReport & { readonly reason: string | null }> {
    const invoice = await call((stripe) => stripe.invoices.retrieve(id, { expand: ['payments'] }));
    const [paid] = invoice.payments?.data.filter(({ status }) => status === 'paid') ?? [];
    const { hosted_invoice_url: url, invoice_pdf: pdf, status } = invoice;
    const [line] = invoice.lines.data;
    const subscription = invoice.parent?.subscription_details?.subscription;
    const paidAt = invoice.status_transitions.paid_at;
    return {
      reason: invoice.billing_reason,
      state: status === 'paid' ? 'paid' : status === 'void' || status === 'uncollectible' ? 'failed' : 'open',
      customer: idOf(invoice.customer) ?? '',
      isLive: invoice.livemode,
      currency: invoice.currency,
      cents: invoice.total_excluding_tax ?? invoice.subtotal,
      invoice: invoice.id,
      ...(subscription && { subscription: idOf(subscription) ?? '' }),
      ...(url && { url }),
      ...(pdf ? { invoiceUrl: pdf } : url ? { invoiceUrl: url } : {}),
      ...(paidAt && { paidAt: paidAt * 1000 }),
      ...(subscription && line && { period: { start: line.period.start, end: line.period.end } }),
      chargedCents: invoice.total,
      ...(status === 'paid' && (await paymentFacts(idOf(paid?.payment.payment_intent)))),
    };
  }

  async function sessionReport(id: string): Promise<PaymentReport> {
    const session = await call((stripe) =>
      stripe.checkout.sessions.retrieve(id, { expand: ['line_items', 'payment_intent'] }),
    );
    const [line, second] = session.line_items?.data ?? [];
    const invoice = idOf(session.invoice);
    const isPaid = session.status === 'complete' && session.payment_status === 'paid';
    const facts = {
      customer: idOf(session.customer) ?? '',
      isLive: session.livemode,
      currency: session.currency ?? '',
      session: session.id,
      // The price of the line, because the total may include taxes.
      cents: second || line?.quantity !== 1 ? -1 : (line.price?.unit_amount ?? -1),
      ...(session.url !== null && { url: session.url }),
      ...(invoice !== undefined && { invoice }),
    };
    if (!isPaid)
      return { ...facts, state: session.status === 'expired' ? 'expired' : hasFailed(session) ? 'failed' : 'open' };
    const report = invoice === undefined ? undefined : await invoiceReport(invoice);
    const payment = idOf(session.payment_intent);
    return {
      ...report,
      ...(payment !== undefined && report?.payment === undefined && (await paymentFacts(payment))),
      ...facts,
      state: 'paid',
      paidAt: report?.paidAt ?? session.created * 1000,
      ...(session.mode === 'subscription' && { subscription: idOf(session.subscription) ?? '' }),
    };
  }

  /** Finds what a request created whose response was lost. */
  async function lookUp({ id, createdAt, kind }: Order, customer: string): Promise<ProviderIds> {
    const created = { gte: Math.floor(createdAt / 1000) - newest };
    const invoices = await call((stripe) => stripe.invoices.list({ customer, created, limit: 100 }));
    const invoice = invoices.data.find(({ metadata, parent }) => {
      return metadata?.['order'] === id || parent?.subscription_details?.metadata?.['order'] === id;
    });
    if (invoice?.id) return { invoice: invoice.id };
    if (kind !== 'pack' && kind !== 'plan') return {};
    const sessions = await call((stripe) => stripe.checkout.sessions.list({ customer, created, limit: 100 }));
    const session = sessions.data.find(({ metadata }) => metadata?.['order'] === id);
    return session ? { session: session.id } : {};
  }

  async function invoiceOf(payment: string): Promise<string | undefined> {
    const found = await call((stripe) =>
      stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: payment } }),
    );
    return idOf(found.data[0]?.invoice);
  }

  async function invoiceSubject(id: string): Promise<EventSubject | undefined> {
    const invoice = await find((stripe) => stripe.invoices.retrieve(id));
    if (!invoice) return undefined;
    const details = invoice.parent?.subscription_details;
    const order =
      orderIn(invoice.metadata) ??
      (invoice.billing_reason === 'subscription_create' ? orderIn(details?.metadata) : undefined);
    const subscription = idOf(details?.subscription);
    return {
      customer: idOf(invoice.customer),
      invoice: invoice.id,
      ...(order && { order }),
      ...(subscription !== undefined && { subscription }),
    };
  }

  async function paymentSubject(payment: string | undefined): Promise<EventSubject | undefined> {
    if (payment === undefined) return undefined;
    const intent = await find((stripe) => stripe.paymentIntents.retrieve(payment));
    if (!intent) return undefined;
    const order = orderIn(intent.metadata);
    if (order) return { customer: idOf(intent.customer), order, payment };
    const invoice = await invoiceOf(payment);
    const subject = invoice === undefined ? undefined : await invoiceSubject(invoice);
    return { customer: idOf(intent.customer), ...subject, payment };
  }

  return {
    async isLive() {
      return isLiveKey((await read()).apiKey);
    },
    async createCustomer(accountId, email) {
      const metadata = { account: String(accountId) };
      const options = { idempotencyKey: `customer-${accountId}-${hash('sha256', email).slice(0, 16)}` };
      return (await call((stripe) => stripe.customers.create({ email, metadata }, options))).id;
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
                  payment_intent_data: { metadata, setup_future_usage: 'off_session' },
                }),
          },
          { idempotencyKey: keyOf(order, 'checkout') },
        ),
      );
      if (!session.url) throw new Error('the checkout session has no page');
      return { session: session.id, url: session.url };
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
    async report(order, customer) {
      const known = order.provider.session ?? order.provider.invoice;
      const ids = known === undefined ? await lookUp(order, customer) : order.provider;
      if (ids.session !== undefined) return sessionReport(ids.session);
      // An invoice that was cancelled as a draft does not exist any more.
      return ids.invoice === undefined ? undefined : invoiceReport(ids.invoice).catch(undefinedIfMissing);
    },
    async renewal(invoice) {
      const { reason, subscription, ...report } = await invoiceReport(invoice);
      return reason === 'subscription_cycle' && subscription !== undefined ? { ...report, subscription } : undefined;
    },
    async plan(id) {
      const subscription = await find((stripe) => stripe.subscriptions.retrieve(id));
      const [item] = subscription?.items.data ?? [];
      if (!subscription || !item) return undefined;
      return {
        id,
        customer: idOf(subscription.customer) ?? '',
        isEnded: subscription.status === 'canceled' || subscription.status === 'incomplete_expired',
        cents: item.price.unit_amount ?? -1,
        endsWithPeriod: subscription.cancel_at_period_end,
        period: { start: item.current_period_start, end: item.current_period_end },
      };
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
      const { data } = await call((stripe) => stripe.subscriptions.list({ customer, limit: 100 }));
      return data.map(({ id, created }) => ({ id, createdAt: created * 1000 }));
    },
    async expireCheckouts(customer) {
      await call(async (stripe) => {
        for await (const { id } of stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }))
          await stripe.checkout.sessions.expire(id).catch(unlessEnded);
      });
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
        await stripe.subscriptions.cancel(id, { invoice_now: false, prorate: false }).catch(unlessEnded);
        for (const status of ['draft', 'open'] as const) {
          for await (const invoice of stripe.invoices.list({ subscription: id, status })) {
            if (!invoice.id) continue;
            if (status === 'draft') await stripe.invoices.del(invoice.id).catch(unlessEnded);
            else await stripe.invoices.voidInvoice(invoice.id).catch(unlessEnded);
          }
        }
      });
    },
    async refund(payment, cents, idempotencyKey) {
      await call((stripe) => stripe.refunds.create({ payment_intent: payment, amount: cents }, { idempotencyKey }));
    },
    async portal(customer, returnUrl) {
      return (await call((stripe) => stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }))).url;
    },
    async readEvent(bytes, signature, now) {
      const { webhookSecrets, apiKey } = await read();
      const { webhooks } = await stripe();
      const event = verified(webhooks, { bytes, signature, secrets: webhookSecrets, now });
      if (event.livemode !== isLiveKey(apiKey)) throw new ForgedEvent('the event is of another mode');
      const { id } = v.parse(v.object({ id: v.string() }), event.data.object);
      return { id: event.id, type: event.type, objectId: id, isLive: event.livemode };
    },
    async subjectOf({ type, objectId }) {
      if (type.startsWith('checkout.session.')) {
        const session = await find((stripe) => stripe.checkout.sessions.retrieve(objectId));
        const order = orderIn(session?.metadata);
        return session && { customer: idOf(session.customer), session: objectId, ...(order && { order }) };
      }
      if (type.startsWith('invoice.')) return invoiceSubject(objectId);
      if (type.startsWith('customer.subscription.')) {
        const found = await find((stripe) => stripe.subscriptions.retrieve(objectId));
        return found && { customer: idOf(found.customer), subscription: found.id };
      }
      if (type.startsWith('refund.')) {
        const refund = await find((stripe) => stripe.refunds.retrieve(objectId));
        return paymentSubject(idOf(refund?.payment_intent));
      }
      if (type.startsWith('charge.dispute.')) {
        const dispute = await find((stripe) => stripe.disputes.retrieve(objectId));
        return paymentSubject(idOf(dispute?.payment_intent));
      }
      if (type.startsWith('radar.early_fraud_warning.')) {
        const warning = await find((stripe) => stripe.radar.earlyFraudWarnings.retrieve(objectId));
        const subject = await paymentSubject(idOf(warning?.payment_intent));
        return subject && { ...subject, isFraudWarning: warning?.actionable === true };
      }
      return undefined;
    },
    async *paidInvoicesOf(subscription) {
      const client = await stripe();
      for await (const { id } of client.invoices.list({ subscription, status: 'paid', limit: 10 })) if (id) yield id;
    },
    async *invoicesSince(at) {
      const client = await stripe();
      const created = { gte: Math.floor(at / 1000) };
      for await (const { id } of client.invoices.list({ created, status: 'paid', limit: 100 })) if (id) yield id;
    },
    async *sessionsSince(at) {
      const client = await stripe();
      const created = { gte: Math.floor(at / 1000) };
      for await (const { id, mode } of client.checkout.sessions.list({ created, status: 'complete', limit: 100 }))
        if (mode !== 'setup') yield id;
    },
    async *undeliveredSince(at) {
      const client = await stripe();
      const created = { gte: Math.floor(at / 1000) };
      for await (const { id, type, data, livemode } of client.events.list({
        created,
        delivery_success: false,
        limit: 100,
      })) {
        const { id: objectId } = v.parse(v.object({ id: v.optional(v.string(), '') }), data.object);
        yield { id, type, objectId, isLive: livemode };
      }
    },
  };
}

function options(api: string | undefined): Stripe.StripeConfig {
  const url = api === undefined ? undefined : new URL(api);
  return {
    timeout,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port,
      protocol: url.protocol === 'http:' ? 'http' : 'https',
    }),
  };
}

function secretsReader(secret: StripeSettings['secret']): () => Promise<StripeSecret> {
  const Secret = v.pipe(v.string(), v.parseJson(), StripeSecret);
  if ('value' in secret) {
    const parsed = v.parse(Secret, secret.value);
    return async () => parsed;
  }
  const provider = new SecretsProvider({ clientConfig: { maxAttempts: 2, requestHandler: limitedTo(secretTimeout) } });
  return async () => {
    try {
      return v.parse(Secret, await provider.get(secret.name, { maxAge: secretSeconds }));
    } catch (cause) {
      provider.clearCache();
      throw new ProviderUnavailable('the secret of the payment provider cannot be read', { cause });
    }
  };
}

interface SignedBytes {
  readonly bytes: Uint8Array;
  readonly signature: string;
  readonly secrets: readonly string[];
  readonly now: number;
}

/** The signature is over the bytes. The header may have a value for each secret (Stripe "Verify webhook signatures"). */
function verified(webhooks: Stripe['webhooks'], { bytes, signature, secrets, now }: SignedBytes): Stripe.Event {
  const seconds = Math.floor(now / 1000);
  const at = Number(/(?:^|,)t=(\d{1,15})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN);
  if (!(at >= seconds - oldest && at <= seconds + newest)) throw new ForgedEvent('the signature has no current time');
  for (const secret of secrets) {
    try {
      return webhooks.constructEvent(Buffer.from(bytes), signature, secret, oldest, undefined, now);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError))
        throw new ForgedEvent('no event', { cause: error });
    }
  }
  throw new ForgedEvent('no secret matches the signature');
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

const idOf = (value: string | { readonly id?: string } | null | undefined): string | undefined =>
  typeof value === 'string' ? value : (value?.id ?? undefined);

const metadataOf = ({ accountId, id }: OrderRef) => ({ account: String(accountId), order: id });

function orderIn(metadata: Stripe.Metadata | null | undefined): OrderRef | undefined {
  const [accountId, id] = [Number(metadata?.['account']), metadata?.['order']];
  return id !== undefined && Number.isSafeInteger(accountId) ? { accountId, id } : undefined;
}

const keyOf = ({ id }: Order, step: string): string => `${id}-${step}`;

/** A payment that was still processing when the page was complete. */
function hasFailed({ status, payment_intent: payment }: Stripe.Checkout.Session): boolean {
  if (status !== 'complete' || !payment || typeof payment === 'string') return false;
  return payment.status === 'requires_payment_method' || payment.status === 'canceled';
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Stripe.errors.StripeError ? error.code : undefined;

function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== 'resource_missing') throw error;
}

/** For requests whose effect may exist already: Stripe refuses to end what has ended. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
}

function translated(error: unknown): unknown {
  const { StripeCardError, StripeInvalidRequestError, StripeIdempotencyError, StripeError } = Stripe.errors;
  const isAsked = error instanceof StripeError && [error.code, error.decline_code].some((code) => asks.has(code ?? ''));
  if (isAsked) return new ChargeRefused('action_required');
  if (error instanceof StripeCardError) {
    const codes = [error.code ?? '', error.decline_code ?? ''];
    return new ChargeRefused(codes.some((code) => hardDeclines.has(code)) ? 'hard_decline' : 'declined');
  }
  if (error instanceof StripeInvalidRequestError || error instanceof StripeIdempotencyError) return error;
  return error instanceof StripeError ? new ProviderUnavailable(error.type, { cause: error }) : error;
}
