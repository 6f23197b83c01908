import * as v from 'valibot';
import { instant, integer, isVisible, pageSize, text, whole } from '../shared/fields.ts';
import { webhookEventTypes } from './events.ts';

const body = 'must be a JSON object';

/** Maximum characters of a URL. */
const maxUrlLength = 2048;

/** Rules that depend on the deployment are checked in domain/webhooks/target.ts. */
const url = v.pipe(
  v.string('must be a string'),
  v.nonEmpty('must not be empty'),
  v.maxLength(maxUrlLength, `must have at most ${maxUrlLength} characters`),
  v.description('An HTTPS URL with a public address, without credentials.'),
);

/** Stands for every event, including those added to the catalog later. */
export const allEvents = '*';

const subscribable = [allEvents, ...webhookEventTypes] as const;

const events = v.pipe(
  v.array(v.picklist(subscribable, 'must be an event type, or *'), 'must be a list'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(subscribable.length, `must have at most ${subscribable.length} entries`),
  v.check((list) => new Set(list).size === list.length, 'must not have duplicates'),
  v.metadata({ uniqueItems: true }),
);

const description = v.optional(v.nullable(v.pipe(text(200), v.check(isVisible, 'must have a visible character'))));

export const NewWebhook = v.object({ url, events, description }, body);

export const WebhookChange = v.object(
  {
    url: v.optional(url),
    events: v.optional(events),
    description,
    status: v.optional(v.picklist(['active', 'disabled'], 'must be active or disabled')),
  },
  body,
);

/** At most one day. */
const graceSeconds = v.pipe(integer(0, 86_400), v.description('How long the old secret also signs, at most a day.'));
export const SecretRotation = v.optional(v.object({ graceSeconds: v.optional(graceSeconds, 0) }, body), {});

export const WebhookPath = v.object({ id: text(64) });
export const DeliveryPath = v.object({ id: text(64), deliveryId: text(64) });

/** `cursor` is the `nextCursor` of the previous page. */
const page = { limit: v.optional(pageSize, '50') };
const cursor = (pattern: RegExp) =>
  v.optional(v.pipe(text(64), v.regex(pattern, 'must be the nextCursor of the previous page')));
export const WebhookQuery = v.object({ cursor: cursor(/^whk_\w+$/), ...page });
export const DeliveryQuery = v.object({ cursor: cursor(/^dlv_\w+$/), ...page });

/** Reasons: `requested` by a change, `failing` for five days, or `gone` after a response of 410. */
export const disabledReasons = ['requested', 'failing', 'gone'] as const;

const described = {
  id: v.string(),
  url: v.string(),
  events: v.array(v.string()),
  description: v.nullable(v.string()),
  status: v.picklist(['active', 'disabled']),
  disabledReason: v.nullable(v.picklist(disabledReasons)),
  failingSince: v.pipe(
    v.nullable(instant),
    v.description('Time of the first of the current consecutive failures; null without failures.'),
  ),
  createdAt: instant,
};
const secret = v.pipe(v.string(), v.description('Key for verifying signatures; it is not shown again.'));

export const Webhook = v.object(described);
/** The only responses that contain the secret. */
export const CreatedWebhook = v.object({ ...described, secret });
export const RotatedWebhook = v.object({
  ...described,
  secret,
  previousSecretExpiresAt: v.pipe(v.nullable(instant), v.description('The old secret also signs until then.')),
});

const nextCursor = v.nullable(v.string());
export const WebhookList = v.object({ items: v.array(Webhook), nextCursor });

export const deliveryStatuses = ['pending', 'delivered', 'exhausted'] as const;

/**
 * Values of the latest attempt: null before the first one; `responseStatus` is also null without a response. Times in
 * ms.
 */
export const Delivery = v.object({
  id: v.string(),
  eventId: v.pipe(v.string(), v.description('The `webhook-id` of every attempt.')),
  type: v.string(),
  status: v.picklist(deliveryStatuses),
  attempts: whole,
  responseStatus: v.nullable(whole),
  durationMs: v.nullable(whole),
  error: v.pipe(v.nullable(v.string()), v.description('Why there was no response.')),
  nextAttemptAt: v.pipe(v.nullable(instant), v.description('Null if no attempt is due.')),
  createdAt: instant,
  body: v.pipe(v.string(), v.description('The body that is sent, as signed.')),
  response: v.pipe(v.nullable(v.string()), v.description('Beginning of the response body, at most 4 KB.')),
});

/** Newest first. */
export const DeliveryList = v.object({ items: v.array(Delivery), nextCursor });
