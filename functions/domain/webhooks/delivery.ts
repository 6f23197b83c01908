import { createHash } from 'node:crypto';
import { deliveryStatuses } from '#contract/webhooks/webhooks.ts';
import { drawnText, encodeBytes, encodeNumber } from '../shared/credential.ts';
import type { Clock, Random } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { AccountEvent } from './events.ts';
import {
  type DisabledReason,
  type Health,
  type Lane,
  type Notify,
  type Webhook,
  type WebhookRef,
  type WebhookService,
  type Waking,
  isoOrNull,
  laneOf,
} from './webhook.ts';

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Deliveries are kept for so long (ms). */
export const retentionMs = 30 * 86_400_000;

/** What an attempt came to: a response, or why there was none. Its body is cut; `retryAfterMs` as the response had it. */
export interface AttemptResult {
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly error?: string | undefined;
}

/** An event for one webhook, with its attempts. Moments in epoch ms. */
export interface Delivery {
  readonly id: string;
  readonly webhook: WebhookRef;
  readonly eventId: string;
  readonly type: string;
  /** What is sent, the same bytes in every attempt. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Attempts of the schedule that runs; a redelivery begins it again. */
  readonly tries: number;
  readonly createdAt: number;
  readonly nextAttemptAt?: number | undefined;
  readonly last?: AttemptResult | undefined;
}

/** A pending delivery as it was taken from its webhook's queue. */
export interface DueDelivery extends Delivery {
  /** Its place in the queue. */
  readonly place: string;
  /** By the webhook's owner, as a test or again: it is sent first, also while the webhook is paused. */
  readonly isRequested: boolean;
}

/** Seconds in 7 characters, so that the ids of deliveries are in the order of their events. */
const timeCharacters = 7;
const digestBytes = 9;
const digestCharacters = 13;

/** The same for an event and webhook that come again. `at` in epoch seconds. */
function deliveryId(at: number, event: string, webhook: string): string {
  const digest = createHash('sha256').update(`${event} ${webhook}`).digest().subarray(0, digestBytes);
  return `dlv_${encodeNumber(at, timeCharacters)}${encodeBytes(digest, digestCharacters)}`;
}

/** A delivery that has yet to be made, now. */
export function newDelivery(event: AccountEvent & { readonly id: string }, webhook: WebhookRef, now: number): Delivery {
  const { id: eventId, type, at, data } = event;
  return {
    id: deliveryId(at, eventId, webhook.id),
    webhook: { accountId: webhook.accountId, id: webhook.id },
    eventId,
    type,
    body: JSON.stringify({ type, timestamp: new Date(at * 1000).toISOString(), data }),
    status: 'pending',
    attempts: 0,
    tries: 0,
    createdAt: now,
    nextAttemptAt: now,
  };
}

/** A delivery as its owner sees it; while its webhook is disabled, no attempt is due. */
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
    createdAt: new Date(createdAt).toISOString(),
    body,
    response: last?.body ?? null,
  };
}

/** A webhook that one worker has to itself. */
export interface Lease {
  readonly webhook: Webhook;
  /** The same for all webhooks that a worker looks at together. */
  readonly token: string;
  readonly lane: Lane;
  /** End of the lease (epoch ms) if the worker crashes. */
  readonly until: number;
  /** Changes when something was put into the webhook's queue. */
  readonly wake: string;
}

/** What becomes of a delivery with an attempt: `nextAttemptAt` while it is pending. */
export interface RecordedAttempt {
  readonly delivery: DueDelivery;
  readonly result: AttemptResult;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt?: number | undefined;
}

/** Deliveries of webhooks: the log, and for each webhook a queue of those that are pending. Moments in epoch ms. */
export interface DeliveryStore extends Waking {
  /**
   * Writes deliveries of one event together; false when they were there. Those of an event that happens `once` under a name also when that
   * has happened to the account, or a hundred such in the day.
   */
  add(deliveries: readonly Delivery[], once?: string): Promise<boolean>;
  /** Newest first, before `cursor`. */
  page(
    ref: WebhookRef,
    limit: number,
    cursor: string | undefined,
    now: number,
  ): Promise<{ deliveries: Delivery[]; next: string | null }>;
  find(ref: WebhookRef, id: string, now: number): Promise<Delivery | undefined>;
  /** Puts a delivery at the head of its webhook's queue, whatever its status. */
  requeue(delivery: Delivery, now: number): Promise<Delivery>;
  /** The webhook, for one worker alone; undefined where another has it, it is paused, or not active. */
  acquire(ref: WebhookRef, worker: Pick<Lease, 'token' | 'lane' | 'until'>, now: number): Promise<Lease | undefined>;
  /** Counts the workers of the lease's lane that began to work for its account before its own. */
  workersBefore(lease: Lease, now: number): Promise<number>;
  /** The next of its queue that are due, at most so many, in order; first those that were requested. */
  due(ref: WebhookRef, now: number, limit: number): Promise<DueDelivery[]>;
  /** Unless the delivery was put into the queue again meanwhile. */
  record(attempt: RecordedAttempt): Promise<void>;
  /**
   * Ends the lease and gives when the webhook is due next. Not where something was put into its queue, or it was changed, since the lease was
   * given: then gives the lease as it is now.
   */
  release(
    lease: Lease,
    health: Health,
    now: number,
  ): Promise<{ readonly dueAt: number | undefined } | { readonly renewed: Lease }>;
  /** Ends the lease of a webhook that may not be sent anything: it is not looked at until the next event. */
  park(lease: Lease): Promise<void>;
  /** Ends the lease and disables the webhook, with a mail to its owner; not where that has changed it meanwhile. */
  disable(lease: Lease, reason: DisabledReason, now: number): Promise<void>;
  /** Webhooks that have something to send by `now`. */
  webhooksDue(now: number): AsyncGenerator<WebhookRef>;
  /**
   * The lane to which the sweep must send a message for a due webhook, because none is in a queue, or it was lost. Returns undefined
   * to all callers but one.
   */
  takeDue(ref: WebhookRef, now: number): Promise<Lane | undefined>;
}

export interface DeliveryServiceParts {
  readonly webhooks: Pick<WebhookService, 'existing'>;
  readonly deliveries: Pick<DeliveryStore, 'page' | 'find' | 'requeue' | 'wake'>;
  /** Refuses (429) an account that has too much sent. */
  readonly demandSend: (accountId: number) => Promise<void>;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly random: Random;
}

/** Random characters of a test's event id, as long as those of other events. */
const idCharacters = 22;

/** The deliveries of a webhook, for its owner to read, and to have sent. */
export function deliveryService({ webhooks, deliveries, demandSend, notify, clock, random }: DeliveryServiceParts) {
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
    await demandSend(webhook.accountId);
    const now = clock.now();
    const queued = await deliveries.requeue(delivery, now);
    const { accountId, id, health } = webhook;
    if (await deliveries.wake(webhook, now, now, true)) await notify({ accountId, ids: [id] }, laneOf(health), now);
    return deliveryView(queued, webhook);
  }

  async function activeWebhook(accountId: number, id: string): Promise<Webhook> {
    const webhook = await webhooks.existing(accountId, id);
    if (webhook.status === 'active') return webhook;
    throw new ServiceError('INVALID_STATE', 'The webhook is disabled. Set its status to active first.');
  }

  return { list, test, redeliver };
}
