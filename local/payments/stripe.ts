import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, listener, type Loopback } from '../shared/loopback.ts';
import { describeError, systemCode } from '../shared/problems.ts';
import { createApi } from './api.ts';
import { createControl } from './control.ts';
import { createDeliveries } from './delivery.ts';
import { createStripeFaults, type StripeFaults } from './faults.ts';
import { accountRoutes, newEndpoint } from './objects/account.ts';
import { chargeRoutes } from './objects/charges.ts';
import { checkoutRoutes, linesOfSession } from './objects/checkout.ts';
import { customerRoutes } from './objects/customer-routes.ts';
import { disputeRoutes } from './objects/disputes.ts';
import { fraudWarningRoutes } from './objects/fraud-warnings.ts';
import { invoiceItemRoutes } from './objects/invoice-items.ts';
import { invoiceRoutes } from './objects/invoice-routes.ts';
import { intentOf, paymentsOf } from './objects/invoices.ts';
import { paymentMethodRoutes } from './objects/payment-methods.ts';
import { paymentRoutes } from './objects/payments.ts';
import { defaultConfiguration, portalRoutes } from './objects/portal.ts';
import { priceRoutes } from './objects/prices.ts';
import { refundRoutes } from './objects/refunds.ts';
import { subscriptionRoutes } from './objects/subscription-routes.ts';
import type { Outcome } from './outcomes.ts';
import { createPages, isPageRequest } from './pages/pages.ts';
import { runScript } from './scripts.ts';
import { openStore } from './store.ts';
import { catchUp, dueTimes, forget } from './timeline.ts';
import type { HiddenFields } from './wire/expand.ts';
import { createWorld, type World } from './world.ts';

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
 * Starts a server with Stripe's protocol, hosted pages and signed events. Its objects survive a restart, and so does its
 * port, which the links to receipts and invoices contain.
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
