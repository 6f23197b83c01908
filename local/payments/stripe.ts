import type { IncomingMessage, ServerResponse } from 'node:http';
import { daySeconds } from '#contract/shared/time.ts';
import { listen, listener, type Loopback } from '../shared/loopback.ts';
import { describeError, systemCode } from '../shared/problems.ts';
import { createApi } from './api.ts';
import { createControl, createStripeFaults, type StripeFaults } from './control.ts';
import { paymentMethodRoutes } from './objects/cards.ts';
import { chargeRoutes, refundRoutes } from './objects/charges.ts';
import { checkoutRoutes, expireSession, linesOfSession } from './objects/checkout.ts';
import { customerRoutes } from './objects/customer-routes.ts';
import { disputeRoutes, fraudWarningRoutes } from './objects/disputes.ts';
import { invoiceItemRoutes } from './objects/invoice-drafts.ts';
import { invoiceRoutes } from './objects/invoice-routes.ts';
import { intentOf, paymentsOf, voidInvoice } from './objects/invoices.ts';
import { paymentRoutes } from './objects/payments.ts';
import { defaultConfiguration, portalRoutes } from './objects/portal.ts';
import { priceRoutes } from './objects/prices.ts';
import { subscriptionRoutes } from './objects/subscription-routes.ts';
import { cancel, collect, incompleteSeconds, itemOf, renew } from './objects/subscriptions.ts';
import type { Outcome } from './outcomes.ts';
import { createPages, isPageRequest } from './pages/pages.ts';
import { runScript } from './scripts.ts';
import { type DueTimes, openStore, type Store } from './store.ts';
import { createDeliveries, accountRoutes, newEndpoint } from './webhooks.ts';
import type { HiddenFields } from './wire/routes.ts';
import { idOf, type Kind, createWorld, required, type World } from './world.ts';

export interface StripeOptions {
  /** Epoch ms of the shifted clock. */
  readonly now: () => number;
  /** SQLite file of all objects. */
  readonly file: string;
  /** Our own endpoint, which receives all events. Its URL may not be known yet. */
  readonly sendEvents: { readonly url: () => string; readonly secret: string };
  readonly log: (line: string) => void;
  /** Days after the previous attempt at which a failed renewal is retried. */
  readonly retryDays?: readonly number[];
}

export interface StripeServer extends Loopback {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /**
   * Runs all overdue work: expiry, renewals, retries. Resolves when each event that is due was delivered, or
   * failed once. Call this after the clock has moved.
   */
  advance(): Promise<void>;
  /** Epoch ms, in the future, at which something is due next. */
  nextDueAt(): number | undefined;
  /** Makes an outcome happen and delivers its events (scripts.ts). Throws a StripeProblem if it cannot happen. */
  script(id: string, outcome: Outcome): Promise<void>;
  readonly faults: StripeFaults;
}

const secretKey = 'sk_test_local';
const ownEndpoint = 'we_local';

/** Milliseconds between runs of overdue work. */
const tickMs = 1000;
/** Milliseconds between removals of expired objects. */
const forgetMs = 3_600_000;

/**
 * Starts a server with Stripe's protocol, hosted pages and signed events. Its objects survive a restart, and so does
 * its port, which the links to receipts and invoices contain.
 */
export async function startStripe(options: StripeOptions): Promise<StripeServer> {
  const { now, file, sendEvents, log, retryDays = [1, 3, 5] } = options;
  const store = openStore(file, dueTimes);
  const faults = createStripeFaults();
  const deliveries = createDeliveries({
    store,
    now,
    faults,
    log,
    targetOf: (id) => {
      const endpoint = store.find('webhook_endpoint', id);
      if (id === ownEndpoint) return { url: sendEvents.url(), secret: sendEvents.secret };
      return endpoint && { url: endpoint.url, secret: endpoint.secret ?? '' };
    },
  });
  let handle = (_: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.destroy();
    return Promise.resolve();
  };
  const listenAt = (port: number) =>
    listen(
      listener((request, response) => handle(request, response)),
      port,
      isPageRequest,
    );
  const usedPort = Number(new URL(store.find('webhook_endpoint', ownEndpoint)?.url ?? 'http://127.0.0.1:0').port);
  const server = await listenAt(usedPort)
    .catch((error: unknown) => {
      if (usedPort === 0 || systemCode(error) !== 'EADDRINUSE') throw error;
      log(`Port ${usedPort} is in use, so earlier links to receipts, invoices and payment pages do not work.`);
      return listenAt(0);
    })
    .catch((error: unknown) => {
      store.close();
      throw error;
    });
  const world = createWorld({ store, now, url: server.url, retryDays, onEvent: deliveries.add });
  store.commit(() => {
    defaultConfiguration(world);
    newEndpoint(world, {
      id: ownEndpoint,
      url: server.url,
      enabledEvents: ['*'],
      secret: sendEvents.secret,
      description: 'This service',
    });
  });

  const deliver = (): void => void deliveries.deliverDue().catch((error: unknown) => log(describeError(error)));

  function update(): void {
    catchUp(store, world, Math.floor(now() / 1000));
  }

  async function advance(): Promise<void> {
    update();
    store.commit(() => forget(world));
    await deliveries.deliverDue();
  }

  async function script(id: string, outcome: Outcome): Promise<void> {
    update();
    store.commit(() => runScript(world, id, outcome));
    await deliveries.deliverDue();
  }

  const api = createApi({ store, world, routes, hidden: hiddenFields(world), faults, secretKey, log });
  const pages = createPages({ store, world });
  const control = createControl({ faults, script, advance, log });

  handle = async (request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/_control/')) return control(request, response, path);
    update();
    await (/^\/v\d+\//.test(path) ? api : pages)(request, response);
    deliver();
  };

  let forgottenAt = now();
  const tick = setInterval(() => {
    try {
      update();
      if (now() - forgottenAt >= forgetMs) {
        forgottenAt = now();
        store.commit(() => forget(world));
      }
    } catch (error) {
      log(describeError(error));
    }
    deliver();
  }, tickMs);
  tick.unref();
  deliver();

  async function close(): Promise<void> {
    clearInterval(tick);
    await server.close();
    await deliveries.close();
    store.close();
  }

  function nextDueAt(): number | undefined {
    update();
    const due = store.nextDue();
    return due && due.at * 1000;
  }

  return { ...server, nextDueAt, secretKey, webhookSecret: sendEvents.secret, advance, script, faults, close };
}

const routes = [
  ...customerRoutes,
  ...priceRoutes,
  ...paymentMethodRoutes,
  ...paymentRoutes,
  ...chargeRoutes,
  ...checkoutRoutes,
  ...invoiceRoutes,
  ...invoiceItemRoutes,
  ...subscriptionRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...fraudWarningRoutes,
  ...portalRoutes,
  ...accountRoutes,
];

/** Fields that Stripe shows only when they are expanded. */
function hiddenFields(world: World): HiddenFields {
  const list = (url: string, data: readonly unknown[]) => ({ object: 'list', data, has_more: false, url });
  return {
    invoice: {
      payments: (id) => list(`/v1/invoice_payments?invoice=${id}`, paymentsOf(world, id)),
      confirmation_secret: (id) => {
        const secret = intentOf(world, id)?.client_secret;
        return secret === undefined || secret === null ? null : { client_secret: secret, type: 'payment_intent' };
      },
    },
    'checkout.session': {
      line_items: (id) => list(`/v1/checkout/sessions/${id}/line_items`, linesOfSession(world, id)),
    },
    charge: {
      refunds: (id) =>
        list(
          `/v1/charges/${id}/refunds`,
          world.all('refund').filter((refund) => refund.charge === id),
        ),
    },
    customer: {
      subscriptions: (id) =>
        list(
          `/v1/customers/${id}/subscriptions`,
          world.all('subscription').filter(({ customer, status }) => customer === id && status !== 'canceled'),
        ),
    },
  };
}

/** Seconds at which an object changes by itself. */
const dueTimes: DueTimes = {
  invoice: ({
    status,
    auto_advance: advances,
    automatically_finalizes_at: finalizesAt,
    next_payment_attempt: next,
  }) => {
    if (advances !== true) return null;
    if (status === 'draft') return finalizesAt;
    return status === 'open' ? next : null;
  },
  subscription: (subscription) => {
    if (subscription.status === 'incomplete') return subscription.created + incompleteSeconds;
    return subscription.ended_at === null ? itemOf(subscription).current_period_end : null;
  },
  'checkout.session': ({ status, expires_at: at }) => (status === 'open' ? at : null),
};

/**
 * Runs overdue work in order of its times. Each object changes at its own time, even if
 * the clock has since moved by months.
 */
function catchUp(store: Store, world: World, nowSeconds: number): void {
  for (let due = store.nextDue(); due && due.at <= nowSeconds; due = store.nextDue()) {
    const { at, kind, id } = due;
    store.commit(() => world.during(at, () => run(world, kind, id)));
  }
}

function run(world: World, kind: Kind, id: string): void {
  if (kind === 'checkout.session') expireSession(world, required(world, kind, id));
  if (kind === 'invoice') collect(world, required(world, kind, id));
  if (kind !== 'subscription') return;
  const subscription = required(world, kind, id);
  if (subscription.status !== 'incomplete') return renew(world, subscription);
  const invoice = world.find('invoice', idOf(subscription.latest_invoice) ?? '');
  if (invoice?.status === 'open') voidInvoice(world, invoice);
  cancel(world, subscription);
}

/** Stripe lists events for 30 days. */
const eventDays = 30;

/** Removes idempotency keys after a day, and events after 30 days unless they still have to be delivered. */
function forget(world: World): void {
  for (const { id, created } of world.all('idempotent_reply'))
    if (created + daySeconds <= world.at()) world.remove('idempotent_reply', id);
  for (const { id, created, deliveries } of world.all('event')) {
    const isPending = deliveries.some(({ status }) => status === 'pending');
    if (created + eventDays * daySeconds <= world.at() && !isPending) world.remove('event', id);
  }
}
