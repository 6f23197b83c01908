import { createHash } from 'node:crypto';
import { encodeNumber } from '#contract/shared/account-reference.ts';
import { dayMs, iso, isoOfSeconds, isoOrNull } from '#contract/shared/time.ts';
import { deliveryStatuses } from '#contract/webhooks/webhooks.ts';
import { type Addressee, emailContent, type MailContent } from '../accounts/mail-layout.ts';
import { drawnText, encodeBytes } from '../shared/credential.ts';
import { en } from '../shared/phrases.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { AccountEvent } from './events.ts';
import {
  type DisabledReason,
  type Health,
  type Speed,
  speedOf,
  type Notify,
  type Waking,
  type Webhook,
  type WebhookRef,
  type WebhookService,
} from './webhook.ts';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const retentionMs = 30 * dayMs;

/** The result of an attempt. `body` is truncated. `retryAfterMs` is from the response. */
export interface AttemptResult {
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly error?: string | undefined;
}

export interface Delivery {
  readonly id: string;
  readonly webhook: WebhookRef;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Attempts of the current schedule; a redelivery restarts it. */
  readonly tries: number;
  readonly createdAt: number;
  readonly nextAttemptAt?: number | undefined;
  readonly last?: AttemptResult | undefined;
}

export interface DueDelivery extends Delivery {
  readonly place: string;
  /** Requested by the owner as a test or redelivery: sent first, even while the webhook is paused. */
  readonly isRequested: boolean;
}

/** Seconds in 7 characters, so that delivery ids sort by event time. */
const timeCharacters = 7;
const digestBytes = 9;
const digestCharacters = 13;

/** Deterministic, so that a repeated event has the same id. `at` in epoch seconds. */
function deliveryId(at: number, event: string, webhook: string): string {
  const digest = createHash('sha256').update(`${event} ${webhook}`).digest().subarray(0, digestBytes);
  return `dlv_${encodeNumber(at, timeCharacters)}${encodeBytes(digest, digestCharacters)}`;
}

export function newDelivery(event: AccountEvent & { readonly id: string }, webhook: WebhookRef, now: number): Delivery {
  const { id: eventId, type, at, data } = event;
  return {
    id: deliveryId(at, eventId, webhook.id),
    webhook: { accountId: webhook.accountId, id: webhook.id },
    eventId,
    type,
    body: JSON.stringify({ type, timestamp: isoOfSeconds(at), data }),
    status: 'pending',
    attempts: 0,
    tries: 0,
    createdAt: now,
    nextAttemptAt: now,
  };
}

/** Omits the next attempt while the webhook is disabled. */
function deliveryView(delivery: Delivery, { status: webhookStatus }: Pick<Webhook, 'status'>) {
  const { id, eventId, type, status, attempts, createdAt, body, nextAttemptAt, last } = delivery;
  const isDue = status === 'pending' && webhookStatus === 'active';
  return {
    id,
    eventId,
    type,
    status,
    attempts,
    responseStatus: last?.status ?? null,
    durationMs: last?.durationMs ?? null,
    error: last?.error ?? null,
    nextAttemptAt: isDue ? isoOrNull(nextAttemptAt) : null,
    createdAt: iso(createdAt),
    body,
    response: last?.body ?? null,
  };
}

/** One worker's exclusive lease of a webhook. */
export interface Lease {
  readonly webhook: Webhook;
  readonly token: string;
  readonly speed: Speed;
  /** Time (epoch ms) at which the lease expires if the worker crashes. */
  readonly until: number;
  /** Changes whenever a delivery is queued. */
  readonly wake: string;
}

export interface RecordedAttempt {
  readonly delivery: DueDelivery;
  readonly result: AttemptResult;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt?: number | undefined;
}

export interface DeliveryStore extends Waking {
  /**
   * Returns false if the deliveries exist, the account already had an event named `once`, or 100 such events that
   * day.
   */
  add(deliveries: readonly Delivery[], once?: string): Promise<boolean>;
  page(
    ref: WebhookRef,
    limit: number,
    cursor: string | undefined,
    now: number,
  ): Promise<{ deliveries: Delivery[]; next: string | null }>;
  find(ref: WebhookRef, id: string, now: number): Promise<Delivery | undefined>;
  /** Puts a delivery at the head of its webhook's queue, regardless of its status. */
  requeue(delivery: Delivery, now: number): Promise<Delivery>;
  /** Leases the webhook to one worker. Returns undefined if it is leased, paused or not active. */
  acquire(ref: WebhookRef, worker: Pick<Lease, 'token' | 'speed' | 'until'>, now: number): Promise<Lease | undefined>;
  /**
   * Counts the account's workers of the lease's speed whose leases end earlier. A worker whose earlier lease is not yet
   * written is not counted, so workers that start together may exceed the limit for one turn.
   */
  workersBefore(lease: Lease, now: number): Promise<number>;
  due(ref: WebhookRef, now: number, limit: number): Promise<DueDelivery[]>;
  record(attempt: RecordedAttempt): Promise<void>;
  /** Returns the next due time. If the webhook was changed or woken since the lease, renews the lease instead. */
  release(
    lease: Lease,
    health: Health,
    now: number,
  ): Promise<{ readonly dueAt: number | undefined } | { readonly renewed: Lease }>;
  /** Ends the lease of a webhook whose account may not send. It stays idle until the next event. */
  park(lease: Lease): Promise<void>;
  /** Ends the lease, disables the webhook and emails its owner. Has no effect if the owner has changed the webhook. */
  disable(lease: Lease, reason: DisabledReason, now: number): Promise<void>;
  webhooksDue(now: number): AsyncGenerator<WebhookRef>;
  /** Returns the speed of a due webhook whose message is missing. Only one concurrent caller receives it. */
  takeDue(ref: WebhookRef, now: number): Promise<Speed | undefined>;
}

export interface DeliveryServiceParts {
  readonly webhooks: Pick<WebhookService, 'existing'>;
  readonly deliveries: Pick<DeliveryStore, 'page' | 'find' | 'requeue' | 'wake'>;
  readonly enforceSendLimit: (accountId: number) => Promise<void>;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly random: Random;
}

const idCharacters = 22;

export function deliveryService({
  webhooks,
  deliveries,
  enforceSendLimit,
  notify,
  clock,
  random,
}: DeliveryServiceParts) {
  async function list(
    accountId: number,
    id: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ) {
    const webhook = await webhooks.existing(accountId, id);
    const { deliveries: shown, next } = await deliveries.page(webhook, limit, cursor, clock.now());
    return { items: shown.map((delivery) => deliveryView(delivery, webhook)), nextCursor: next };
  }

  async function test(accountId: number, id: string) {
    const webhook = await activeWebhook(accountId, id);
    const at = Math.floor(clock.now() / 1000);
    const event = { id: `evt_${drawnText(random.bytes(idCharacters))}`, type: 'webhook.test', at } as const;
    const delivery = newDelivery({ ...event, data: { accountId, webhookId: id } }, webhook, clock.now());
    return send(webhook, delivery);
  }

  async function redeliver(accountId: number, id: string, deliveryId: string) {
    const webhook = await activeWebhook(accountId, id);
    const delivery = await deliveries.find(webhook, deliveryId, clock.now());
    if (!delivery) throw new ServiceError('NOT_FOUND', 'There is no such delivery.');
    return send(webhook, delivery);
  }

  async function send(webhook: Webhook, delivery: Delivery) {
    await enforceSendLimit(webhook.accountId);
    const now = clock.now();
    const queued = await deliveries.requeue(delivery, now);
    const { accountId, id, health } = webhook;
    if (await deliveries.wake(webhook, now, now, true)) await notify({ accountId, ids: [id] }, speedOf(health), now);
    return deliveryView(queued, webhook);
  }

  async function activeWebhook(accountId: number, id: string): Promise<Webhook> {
    const webhook = await webhooks.existing(accountId, id);
    if (webhook.status === 'active') return webhook;
    throw new ServiceError('INVALID_STATE', 'The webhook is disabled. Set its status to active first.');
  }

  return { list, test, redeliver };
}

const disabledBecause = {
  requested: en`as requested`,
  failing: en`because every delivery to it has failed for five days`,
  gone: en`because it responded that it is gone (410)`,
} as const;

export interface DisabledWebhook {
  readonly host: string;
  readonly reason: keyof typeof disabledBecause;
}

export function webhookDisabledMail(to: Addressee, { host, reason }: DisabledWebhook, link: string): MailContent {
  return emailContent({
    subject: en`Your webhook was disabled`,
    to,
    body: en`The webhook at ${{ host }} was disabled ${{ reason: disabledBecause[reason] }}. It receives no events until you enable it again.`,
    action: en`View your webhooks`,
    link,
    footer: en`Pending deliveries are kept for 30 days and sent once the webhook is enabled.`,
  });
}
