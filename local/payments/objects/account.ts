import type Stripe from 'stripe';
import * as v from 'valibot';
import { missing, newId } from '../wire/errors.ts';
import { changedMetadata, clearable, flag, isInRange, metadata, oneOf, range, text, url } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { apiVersion, required, update, type World } from '../world.ts';
import type { StoredEvent } from './types.ts';

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
export const eventBody = ({ deliveries, ...event }: StoredEvent) => ({
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
