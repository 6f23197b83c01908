import type Stripe from 'stripe';
import type { Store } from './store.ts';
import { missing, missingParam, newId } from './wire/errors.ts';

export const apiVersion = '2026-10-28.endive';

export interface RequestInfo {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

/** Context of every operation: the objects, the time and the events. */
export interface World extends Pick<Store, 'find' | 'all' | 'save' | 'remove' | 'findAny'> {
  /** Seconds. While overdue work runs, the time at which it was due. */
  at(): number;
  /** URL of the server, without a trailing slash. */
  readonly url: string;
  /** Days after the previous attempt at which a failed renewal is retried. */
  readonly retryDays: readonly number[];
  /** Stores an event with a copy of the object. */
  emit(type: string, object: { readonly id: string }, previousAttributes?: object): void;
  /** Runs `work` at an earlier time than now, in seconds. */
  during<Result>(at: number, work: () => Result): Result;
  /** Runs `work` with a request that its events name. */
  requested<Result>(request: RequestInfo, work: () => Result): Result;
}

export interface WorldOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  readonly url: string;
  readonly retryDays: readonly number[];
  /** Called when an event was stored, before its change is complete. */
  readonly onEvent: (event: StoredEvent) => void;
}

const noRequest: RequestInfo = { id: null, idempotency_key: null };

export function createWorld({ store, now, url, retryDays, onEvent }: WorldOptions): World {
  let moment: number | undefined;
  let request = noRequest;

  const at = (): number => moment ?? Math.floor(now() / 1000);

  function emit(type: string, object: { readonly id: string }, previousAttributes?: object): void {
    const endpoints = store
      .all('webhook_endpoint')
      .filter(
        ({ status, enabled_events: names }) => status === 'enabled' && (names.includes('*') || names.includes(type)),
      );
    const event: StoredEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: at(),
      data: {
        object: JSON.parse(JSON.stringify(object)),
        ...(previousAttributes && { previous_attributes: previousAttributes }),
      },
      request,
      type,
      deliveries: endpoints.map(({ id }) => ({ endpoint: id, attempts: 0, nextAt: now(), status: 'pending' })),
    };
    store.save('event', event);
    onEvent(event);
  }

  function during<Result>(seconds: number, work: () => Result): Result {
    const outer = moment;
    moment = seconds;
    try {
      return work();
    } finally {
      moment = outer;
    }
  }

  function requested<Result>(info: RequestInfo, work: () => Result): Result {
    request = info;
    try {
      return work();
    } finally {
      request = noRequest;
    }
  }

  return {
    find: store.find,
    all: store.all,
    save: store.save,
    remove: store.remove,
    findAny: store.findAny,
    at,
    url,
    retryDays,
    emit,
    during,
    requested,
  };
}

const labels: Partial<Record<Kind, string>> = {
  payment_method: 'PaymentMethod',
  invoiceitem: 'invoiceitem',
  'billing_portal.configuration': 'configuration',
};
const labelOf = (kind: Kind): string => labels[kind] ?? kind;

/** The object that the path names, or 404. */
export function required<K extends Kind>(world: World, kind: K, id: string, param = 'id'): Objects[K] {
  const object = world.find(kind, id);
  if (!object) throw missing(labelOf(kind), id, param);
  return object;
}

/** The object that a parameter names, or 400. */
export function referenced<K extends Kind>(world: World, kind: K, id: string, param: string): Objects[K] {
  const object = world.find(kind, id);
  if (!object) throw missingParam(labelOf(kind), id, param);
  return object;
}

/** Saves the changed object and emits the event with the attributes that changed. */
export function update<K extends Kind>(
  world: World,
  kind: K,
  object: Objects[K],
  changes: Partial<Objects[K]>,
  event?: string,
): Objects[K] {
  const changed = { ...object, ...changes };
  world.save(kind, changed);
  if (event !== undefined) world.emit(event, changed, previousOf(object, changes));
  return changed;
}

function previousOf<T extends object>(object: T, changes: Partial<T>): object {
  const old = Object.entries(object).filter(
    ([key, value]) =>
      Object.hasOwn(changes, key) && JSON.stringify(value) !== JSON.stringify(Reflect.get(changes, key)),
  );
  return Object.fromEntries(old);
}

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
