import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { BodyTooLarge, listen, listener, type Loopback, readBody, sendJson } from '../shared/loopback.ts';
import { describeError } from '../shared/problems.ts';
import { createApi } from './api.ts';
import { createDeliveries } from './delivery.ts';
import { createStripeFaults, StripeFault, type StripeFaults } from './faults.ts';
import { accountRoutes, newEndpoint } from './objects/account.ts';
import { checkoutRoutes, linesOfSession } from './objects/checkout.ts';
import { customerRoutes } from './objects/customer-routes.ts';
import { disputeRoutes } from './objects/disputes.ts';
import { invoiceRoutes } from './objects/invoice-routes.ts';
import { intentOf, paymentsOf } from './objects/invoices.ts';
import { paymentMethodRoutes } from './objects/payment-methods.ts';
import { paymentRoutes } from './objects/payments.ts';
import { portalRoutes } from './objects/portal.ts';
import { priceRoutes } from './objects/prices.ts';
import { refundRoutes } from './objects/refunds.ts';
import { subscriptionRoutes } from './objects/subscription-routes.ts';
import { createPages, isPageRequest } from './pages/pages.ts';
import { type Outcome, outcomes, runScript } from './scripts.ts';
import { openStore } from './store.ts';
import { catchUp, dueTimes, forget } from './timeline.ts';
import { StripeProblem } from './wire/errors.ts';
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
  /** Days after the previous attempt at which a failed renewal is tried again. */
  readonly retryDays?: readonly number[];
  /** 0, the default, selects a free port. */
  readonly port?: number;
}

export interface StripeServer extends Loopback {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /**
   * Does everything that is due: expiry, renewals, retries. Resolves when each event that is due was delivered, or
   * failed once. Call this after the clock has moved.
   */
  advance(): Promise<void>;
  /** Epoch ms at which something is due next. */
  nextDueAt(): number | undefined;
  /** Makes an outcome happen and delivers its events (scripts.ts). Throws a StripeProblem if it cannot happen. */
  script(id: string, outcome: Outcome): Promise<void>;
  readonly faults: StripeFaults;
}

const secretKey = 'sk_test_local';
const ownEndpoint = 'we_local';

/** Milliseconds between looks at the clock. */
const tickMs = 1000;

/** Starts a server with Stripe's protocol, pay pages and signed events. Its objects survive a restart. */
export async function startStripe(options: StripeOptions): Promise<StripeServer> {
  const { now, file, sendEvents, log, retryDays = [1, 3, 5], port = 0 } = options;
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
  const server = await listen(
    listener((request, response) => handle(request, response)),
    port,
    isPageRequest,
  ).catch((error: unknown) => {
    store.close();
    throw error;
  });
  const world = createWorld({ store, now, url: server.url, retryDays, onEvent: deliveries.add });
  store.commit(() =>
    newEndpoint(world, {
      id: ownEndpoint,
      url: server.url,
      enabledEvents: ['*'],
      secret: sendEvents.secret,
      description: 'This service',
    }),
  );

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

  const tick = setInterval(() => {
    update();
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
  ...checkoutRoutes,
  ...invoiceRoutes,
  ...subscriptionRoutes,
  ...refundRoutes,
  ...disputeRoutes,
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

interface ControlOptions extends Pick<StripeServer, 'faults' | 'script' | 'advance'> {
  readonly log: (line: string) => void;
}

const ScriptOrder = v.strictObject({ outcome: v.picklist(outcomes) });
const maxOrderBytes = 64 * 1024;

/**
 * `POST /_control/faults` orders a fault, `DELETE` removes all, `POST /_control/events/release` releases held events,
 * `POST /_control/advance` does what is due, and `POST /_control/payments/{id}` makes an outcome happen.
 */
function createControl({ faults, script, advance, log }: ControlOptions) {
  async function respond(request: IncomingMessage, path: string): Promise<object> {
    if (path === '/_control/faults' && request.method === 'DELETE') faults.clear();
    if (path === '/_control/faults' && request.method === 'POST')
      faults.order(v.parse(StripeFault, await bodyOf(request)));
    if (path === '/_control/faults') return { active: faults.active() };
    if (request.method !== 'POST')
      throw new StripeProblem(404, { type: 'invalid_request_error', message: 'Not found' });
    const id = /^\/_control\/payments\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) await script(decodeURIComponent(id), v.parse(ScriptOrder, await bodyOf(request)).outcome);
    else if (path === '/_control/events/release') {
      faults.release();
      await advance();
    } else if (path === '/_control/advance') await advance();
    else throw new StripeProblem(404, { type: 'invalid_request_error', message: `${path} does not exist.` });
    return { done: true };
  }

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    try {
      sendJson(response, 200, await respond(request, path));
    } catch (error) {
      if (error instanceof StripeProblem) return sendJson(response, error.status, { error: error.message });
      if (v.isValiError(error) || error instanceof SyntaxError || error instanceof BodyTooLarge)
        return sendJson(response, 400, { error: error.message });
      log(describeError(error));
      sendJson(response, 500, { error: 'The request failed; see the terminal for the cause.' });
    }
  };
}

const bodyOf = async (request: IncomingMessage): Promise<unknown> =>
  JSON.parse((await readBody(request, maxOrderBytes)).toString());
