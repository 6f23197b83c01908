import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import * as v from 'valibot';
import type { StripeFaults } from './control.ts';
import type { Store } from './store.ts';
import { missing, newId } from './wire/errors.ts';
import { changedMetadata, clearable, flag, isInRange, metadata, oneOf, range, text, url } from './wire/params.ts';
import { listRoute, type Route, route } from './wire/routes.ts';
import { type Delivery, type StoredEvent, apiVersion, required, update, type World } from './world.ts';

export interface DeliveryOptions {
  readonly store: Store;
  /** Epoch ms. */
  readonly now: () => number;
  readonly faults: StripeFaults;
  /** URL and secret of an endpoint. */
  readonly targetOf: (endpoint: string) => { readonly url: string; readonly secret: string } | undefined;
  readonly log: (line: string) => void;
}

export interface Deliveries {
  /** Queues the deliveries of an event. */
  readonly add: (event: StoredEvent) => void;
  /** Resolves when every delivery that is due was tried once. */
  readonly deliverDue: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const minute = 60_000;
const hour = 60 * minute;

/** Milliseconds between attempts: three days in total, as with Stripe. */
const backoff = [
  10_000,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
  12 * hour,
  16 * hour,
  16 * hour,
];

const timeoutMs = 20_000;

/** `t=<seconds>,v1=<hex>` over the time and the raw body. */
function signature(body: string, secret: string, seconds: number): string {
  const hex = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${hex}`;
}

/** Delivers events in their order, each at least once. Failed deliveries are retried as the clock moves. */
export function createDeliveries({ store, now, faults, targetOf, log }: DeliveryOptions): Deliveries {
  const pending = new Set<string>();
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let isAgain = false;

  for (const event of store.all('event')) if (event.deliveries.some(isPending)) pending.add(event.id);

  function add(event: StoredEvent): void {
    if (event.deliveries.length > 0) pending.add(event.id);
  }

  function deliverDue(): Promise<void> {
    if (running) isAgain = true;
    running ??= run().finally(() => (running = undefined));
    return running;
  }

  async function run(): Promise<void> {
    do {
      isAgain = false;
      if (faults.holdsEvents()) return;
      for (const event of ordered(dueEvents()))
        for (const delivery of event.deliveries) if (isDue(delivery)) await deliver(event, delivery);
    } while (isAgain && !ending.signal.aborted);
  }

  function dueEvents(): StoredEvent[] {
    return [...pending].flatMap((id) => {
      const event = store.find('event', id);
      if (event?.deliveries.some(isPending)) return event.deliveries.some(isDue) ? [event] : [];
      pending.delete(id);
      return [];
    });
  }

  const isDue = ({ nextAt }: Delivery): boolean => nextAt !== null && nextAt <= now();

  /** Reverses the pending events once there are as many as the fault's count. */
  function ordered(events: readonly StoredEvent[]): readonly StoredEvent[] {
    const fault = faults.active().find((one) => one.fault === 'events_reversed');
    if (!fault || !('type' in fault)) return events;
    const affected = events.filter(({ type }) => type.startsWith(fault.type));
    if (affected.length < fault.count) return events.filter((event) => !affected.includes(event));
    for (const _ of affected.slice(0, fault.count)) faults.takeForEvent(fault.type);
    const reversed = affected.slice(0, fault.count).toReversed();
    return [...reversed, ...events.filter((event) => !reversed.includes(event))];
  }

  async function deliver(event: StoredEvent, delivery: Delivery): Promise<void> {
    if (ending.signal.aborted) return;
    const fault = faults.takeForEvent(event.type);
    if (fault === 'event_dropped') return note(event.id, delivery, { nextAt: null, status: 'failed' });
    const isAccepted = await post(event, delivery);
    if (fault === 'event_twice') await post(event, delivery);
    if (ending.signal.aborted && !isAccepted) return;
    const attempts = delivery.attempts + 1;
    const waitMs = backoff[attempts - 1];
    if (isAccepted) note(event.id, delivery, { attempts, nextAt: null, status: 'delivered' });
    else if (waitMs === undefined) note(event.id, delivery, { attempts, nextAt: null, status: 'failed' });
    else note(event.id, delivery, { attempts, nextAt: now() + waitMs });
  }

  async function post(event: StoredEvent, { endpoint }: Delivery): Promise<boolean> {
    const target = targetOf(endpoint);
    if (!target) return false;
    const body = JSON.stringify(eventBody(event), null, 2);
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': signature(body, target.secret, Math.floor(now() / 1000)),
        },
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      if (!response.ok) log(`payments: the event ${event.type} was answered with ${response.status}`);
      return response.ok;
    } catch (error) {
      if (!ending.signal.aborted) log(`payments: the event ${event.type} was not delivered (${String(error)})`);
      return false;
    }
  }

  function note(id: string, { endpoint }: Delivery, changes: Partial<Delivery>): void {
    const event = store.find('event', id);
    if (!event) return;
    const deliveries = event.deliveries.map((one) => (one.endpoint === endpoint ? { ...one, ...changes } : one));
    store.commit(() => store.save('event', { ...event, deliveries }));
    if (!deliveries.some(isPending)) pending.delete(id);
  }

  async function close(): Promise<void> {
    ending.abort();
    await running;
  }

  return { add, deliverDue, close };
}

const isPending = ({ status }: Delivery): boolean => status === 'pending';

/** The secret is shown only at creation. */
function noSecret(endpoint: Stripe.WebhookEndpoint): Stripe.WebhookEndpoint {
  const shown = { ...endpoint };
  delete shown.secret;
  return shown;
}

export function newEndpoint(
  world: World,
  options: {
    id?: string;
    url: string;
    enabledEvents: string[];
    secret: string;
    description: string | null;
    metadata?: Record<string, string>;
  },
): Stripe.WebhookEndpoint {
  const endpoint: Stripe.WebhookEndpoint = {
    id: options.id ?? newId('we'),
    object: 'webhook_endpoint',
    api_version: apiVersion,
    application: null,
    created: world.at(),
    description: options.description,
    enabled_events: options.enabledEvents,
    livemode: false,
    metadata: options.metadata ?? {},
    secret: options.secret,
    status: 'enabled',
    url: options.url,
  };
  world.save('webhook_endpoint', endpoint);
  return endpoint;
}

/** An event as the API and the deliveries show it. */
const eventBody = ({ deliveries, ...event }: StoredEvent) => ({
  ...event,
  livemode: false,
  pending_webhooks: deliveries.filter(({ status }) => status === 'pending').length,
});

const account = {
  id: 'acct_local',
  object: 'account',
  business_profile: { name: 'Local test account', url: null },
  business_type: 'company',
  charges_enabled: true,
  country: 'US',
  default_currency: 'usd',
  details_submitted: true,
  email: 'owner@local.test',
  payouts_enabled: true,
  settings: { dashboard: { display_name: 'Local test account', timezone: 'Etc/UTC' } },
  type: 'standard',
};

const endpointFields = {
  description: v.exactOptional(clearable()),
  metadata: v.exactOptional(metadata),
};

export const accountRoutes: readonly Route[] = [
  route('GET', '/v1/account', {}, () => account),
  route(
    'POST',
    '/v1/webhook_endpoints',
    {
      ...endpointFields,
      url,
      enabled_events: v.pipe(v.array(text(100)), v.minLength(1)),
      api_version: v.exactOptional(oneOf([apiVersion])),
    },
    ({ world, params }) =>
      newEndpoint(world, {
        url: params.url,
        enabledEvents: params.enabled_events,
        secret: newId('whsec', 32),
        description: params.description ?? null,
        metadata: changedMetadata({}, params.metadata),
      }),
  ),
  route('GET', '/v1/webhook_endpoints/{id}', {}, ({ world, id }) => noSecret(required(world, 'webhook_endpoint', id))),
  route(
    'POST',
    '/v1/webhook_endpoints/{id}',
    {
      ...endpointFields,
      url: v.exactOptional(url),
      enabled_events: v.exactOptional(v.pipe(v.array(text(100)), v.minLength(1))),
      disabled: v.exactOptional(flag),
    },
    ({ world, id, params: { disabled, metadata: meta, ...changes } }) => {
      const endpoint = required(world, 'webhook_endpoint', id);
      const stored = changedMetadata(endpoint.metadata, meta);
      const status = disabled === undefined ? endpoint.status : disabled ? 'disabled' : 'enabled';
      return noSecret(update(world, 'webhook_endpoint', endpoint, { ...changes, metadata: stored, status }));
    },
  ),
  route('DELETE', '/v1/webhook_endpoints/{id}', {}, ({ world, id }) => {
    required(world, 'webhook_endpoint', id);
    world.remove('webhook_endpoint', id);
    return { id, object: 'webhook_endpoint', deleted: true };
  }),
  listRoute('/v1/webhook_endpoints', {}, ({ world }) => world.all('webhook_endpoint').map(noSecret)),
  route('GET', '/v1/events/{id}', {}, ({ world, id }) => {
    const event = world.find('event', id);
    if (!event) throw missing('event', id);
    return eventBody(event);
  }),
  listRoute(
    '/v1/events',
    {
      type: v.exactOptional(text(100)),
      types: v.exactOptional(v.pipe(v.array(text(100)), v.maxLength(20))),
      created: v.exactOptional(range),
      delivery_success: v.exactOptional(flag),
    },
    ({ world, params: { type, types, created, delivery_success: success } }) =>
      world
        .all('event')
        .filter(
          (event) =>
            (type === undefined || matches(event.type, type)) &&
            (types === undefined || types.some((one) => matches(event.type, one))) &&
            isInRange(event.created, created) &&
            (success === undefined || event.deliveries.every(({ status }) => status === 'delivered') === success),
        )
        .map(eventBody),
  ),
];

/** Filters may end in `.*`. */
const matches = (type: string, filter: string): boolean =>
  filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter;
