import type Stripe from 'stripe';

/** Parts of a Checkout session that its object does not show. */
export interface SessionDetails {
  readonly id: string;
  readonly object: 'session_details';
  readonly lines: Stripe.LineItem[];
  readonly intentMetadata: Record<string, string>;
  readonly intentDescription: string | null;
  readonly receiptEmail: string | null;
  readonly invoiceMetadata: Record<string, string>;
  readonly invoiceDescription: string | null;
  readonly subscriptionMetadata: Record<string, string>;
  readonly subscriptionDescription: string | null;
  /** Saves the card for later off-session payments. */
  readonly savesCard: boolean;
  /** A card whose authentication is pending on the checkout page. */
  readonly waiting: string | null;
}

/** The delivery of an event to an endpoint. */
export interface Delivery {
  readonly endpoint: string;
  readonly attempts: number;
  /** Epoch ms of the next attempt. Null after success or the last attempt. */
  readonly nextAt: number | null;
  readonly status: 'pending' | 'delivered' | 'failed';
}

export interface StoredEvent {
  readonly id: string;
  readonly object: 'event';
  readonly api_version: string;
  /** Seconds. */
  readonly created: number;
  readonly data: { readonly object: unknown; readonly previous_attributes?: unknown };
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly type: string;
  readonly deliveries: readonly Delivery[];
}

/** An outcome that a script set for later payments of a subscription, invoice, customer or order. */
export interface ScriptedOutcome {
  readonly id: string;
  readonly object: 'scripted_outcome';
  readonly outcome: 'failed' | 'action_required';
}

/** The response that a repeated idempotency key returns. */
export interface IdempotentReply {
  readonly id: string;
  readonly object: 'idempotent_reply';
  /** Method, path and parameters. */
  readonly print: string;
  readonly status: number;
  readonly text: string;
  /** Seconds. */
  readonly created: number;
}

/** Everything that the server stores, by the `object` field. */
export interface Objects {
  customer: Stripe.Customer;
  deleted_customer: Stripe.DeletedCustomer & { created: number };
  customer_balance_transaction: Stripe.CustomerBalanceTransaction;
  product: Stripe.Product;
  price: Stripe.Price;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  setup_intent: Stripe.SetupIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  'radar.early_fraud_warning': Stripe.Radar.EarlyFraudWarning;
  invoice: Stripe.Invoice;
  invoiceitem: Stripe.InvoiceItem;
  invoice_payment: Stripe.InvoicePayment;
  subscription: Stripe.Subscription;
  'checkout.session': Stripe.Checkout.Session;
  session_details: SessionDetails;
  'billing_portal.session': Stripe.BillingPortal.Session;
  'billing_portal.configuration': Stripe.BillingPortal.Configuration;
  webhook_endpoint: Stripe.WebhookEndpoint;
  event: StoredEvent;
  scripted_outcome: ScriptedOutcome;
  idempotent_reply: IdempotentReply;
}

export type Kind = keyof Objects;

export const kinds = [
  'customer',
  'deleted_customer',
  'customer_balance_transaction',
  'product',
  'price',
  'payment_method',
  'payment_intent',
  'setup_intent',
  'charge',
  'refund',
  'dispute',
  'radar.early_fraud_warning',
  'invoice',
  'invoiceitem',
  'invoice_payment',
  'subscription',
  'checkout.session',
  'session_details',
  'billing_portal.session',
  'billing_portal.configuration',
  'webhook_endpoint',
  'event',
  'scripted_outcome',
  'idempotent_reply',
] as const satisfies readonly Kind[];

/** The id of an expandable field. */
export const idOf = (field: string | { readonly id: string } | null | undefined): string | null =>
  typeof field === 'string' ? field : (field?.id ?? null);
