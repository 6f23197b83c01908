import Stripe from 'stripe';
import * as v from 'valibot';
import { isLiveKey } from '#contract/payments/stripe-secret.ts';
import type { OrderRef } from '#domain/payments/order.ts';
import { type EventSubject, ForgedEvent, type PaymentProvider } from '#domain/payments/provider.ts';
import { idOf, type StripeClient } from './client.ts';

/** Seconds by which the time in a signature may differ from now. The package accepts any time in the future. */
const oldest = 300;
const newest = 60;

type Events = Pick<PaymentProvider, 'isLive' | 'readEvent' | 'subjectOf' | 'undeliveredSince'>;

/** Verifies events, and finds their subjects. */
export function paymentEvents({ secret, stripe, call, find }: StripeClient): Events {
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
      return isLiveKey((await secret()).apiKey);
    },
    async readEvent(bytes, signature, now) {
      const { webhookSecrets, apiKey } = await secret();
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

interface SignedBytes {
  readonly bytes: Uint8Array;
  readonly signature: string;
  readonly secrets: readonly string[];
  readonly now: number;
}

/**
 * The signature is over the bytes. The header may have a value for each secret (Stripe "Verify webhook signatures").
 */
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

function orderIn(metadata: Stripe.Metadata | null | undefined): OrderRef | undefined {
  const [accountId, id] = [Number(metadata?.['account']), metadata?.['order']];
  return id !== undefined && Number.isSafeInteger(accountId) ? { accountId, id } : undefined;
}
