import * as v from 'valibot';
import { alertKinds } from '../alerts/alert-kinds.ts';
import { planListing } from '../billing/plans.ts';
import { channels, failures } from '../messages/names.ts';
import { instant, integer, isVisible, pageSize, text, whole, accountId } from '../shared/fields.ts';
import { limitPeriods } from '../shared/limits.ts';

/** Common fields of all events. `seq` orders those of the ledger. */
const ofAccount = {
  accountId,
  seq: v.pipe(whole, v.description('Number of the ledger entry, or of the newest entry at the time of the event.')),
};
const credits = v.pipe(v.number(), v.description('Exact to the millionth.'));
const balance = v.pipe(v.number(), v.description('Credits after the event, exact to the millionth.'));
const planId = v.picklist(planListing.map(({ name }) => name));

const ofSubscription = { ...ofAccount, subscriptionId: v.string(), planId };
const ofKey = { ...ofAccount, keyId: v.string() };
const ofMessage = v.object({
  accountId,
  messageId: v.string(),
  channel: v.picklist(channels),
  failure: v.pipe(v.nullable(v.picklist(failures)), v.description('Why it was not delivered.')),
  country: v.string(),
  segments: v.nullable(whole),
  reference: v.nullable(v.string()),
  credits: whole,
});
const ofTranscription = { ...ofAccount, transcriptionId: v.string(), credits };
const changedPlan = v.object({ ...ofSubscription, previousPlanId: planId });

/**
 * All events by type, with the time at which they happen and the schema of `data`. Each event is stored with the write
 * that causes it.
 */
export const webhookEvents = {
  'credits.granted': {
    description: 'Credits were granted: by the plan, the free month, or an operator.',
    data: v.object({ ...ofAccount, credits, source: v.picklist(['free', 'plan', 'purchase']), balance }),
  },
  'credits.low': {
    description: '80% of the credits that were available in the billing month are used.',
    data: v.object({ ...ofAccount, balance }),
  },
  'credits.exhausted': {
    description: 'Less than one credit is left of those that were available in the billing month.',
    data: v.object({ ...ofAccount, balance }),
  },
  'credits.expired': {
    description: 'Credits have expired.',
    data: v.object({ ...ofAccount, credits, balance }),
  },
  'subscription.created': {
    description: 'A subscription began.',
    data: v.object(ofSubscription),
  },
  'subscription.renewed': {
    description: 'A new month of the subscription began.',
    data: v.object({ ...ofSubscription, periodStart: instant, periodEnd: instant }),
  },
  'subscription.upgraded': {
    description: 'The subscription was upgraded to a larger plan.',
    data: changedPlan,
  },
  'subscription.downgraded': {
    description: 'The subscription continued with a smaller plan as a new month began.',
    data: changedPlan,
  },
  'subscription.cancelled': {
    description: 'The subscription was cancelled.',
    data: v.object({ ...ofSubscription, endsAt: instant, creditsExpireAt: instant }),
  },
  'subscription.resumed': {
    description: 'The cancellation of the subscription was undone: it continues with the same plan.',
    data: v.object(ofSubscription),
  },
  'subscription.expired': {
    description: 'The subscription ended: its credits have expired, or another one replaced it.',
    data: v.object(ofSubscription),
  },
  'key.created': {
    description: 'An API key was created.',
    data: v.object(ofKey),
  },
  'key.rotated': {
    description: 'An API key was replaced by a new one, `keyId`.',
    data: v.object({
      ...ofKey,
      previousKeyId: v.string(),
      previousExpiresAt: v.pipe(
        v.nullable(instant),
        v.description('When the old key stops working; null if it stopped immediately.'),
      ),
    }),
  },
  'key.revoked': {
    description: 'An API key was revoked.',
    data: v.object(ofKey),
  },
  'key.limit_reached': {
    description: 'Less than one credit is left of the spending limit of an API key in its period.',
    data: v.object({
      ...ofKey,
      limit: v.object({ credits, period: v.picklist(limitPeriods) }),
      used: credits,
      resetsAt: v.pipe(v.nullable(instant), v.description('Null for a limit in `total`.')),
    }),
  },
  'alert.triggered': {
    description: 'An alert rule with the channel webhook became true. Sent once per period of the rule.',
    data: v.object({
      ...ofAccount,
      kind: v.picklist(alertKinds),
      value: v.pipe(v.number(), v.description('Value of the rule: credits, or percent.')),
      keyId: v.pipe(v.nullable(v.string()), v.description('Id of the key, if the rule is about keys.')),
      balance,
    }),
  },
  'message.sent': {
    description: 'A message was handed to the carrier.',
    data: ofMessage,
  },
  'message.delivered': {
    description: 'A message reached the phone, or the call was answered and its text played to the end.',
    data: ofMessage,
  },
  'message.undelivered': {
    description: 'The carrier could not deliver a message, or nobody answered the call.',
    data: ofMessage,
  },
  'message.failed': {
    description: 'A message did not reach the carrier. Its credits were refunded.',
    data: ofMessage,
  },
  'transcription.completed': {
    description: 'A transcription of long audio was completed.',
    data: v.object({
      ...ofTranscription,
      durationSeconds: v.pipe(v.number(), v.description('Duration of the audio, as charged.')),
    }),
  },
  'transcription.failed': {
    description: 'A transcription of long audio failed or expired. Its credits were refunded.',
    data: v.object({ ...ofTranscription, status: v.picklist(['failed', 'expired']) }),
  },
  'webhook.test': {
    description: 'A test was requested. It is sent only to that webhook, regardless of its subscribed events.',
    data: v.object({ accountId, webhookId: v.string() }),
  },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly data: v.GenericSchema }>>;

export type WebhookEventType = keyof typeof webhookEvents;
export type WebhookData<Type extends WebhookEventType> = v.InferInput<(typeof webhookEvents)[Type]['data']>;

/** Event types in the order of the catalog. */
export const webhookEventTypes = Object.keys(webhookEvents).filter((type): type is WebhookEventType =>
  Object.hasOwn(webhookEvents, type),
);

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
