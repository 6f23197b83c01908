import { createHash } from 'node:crypto';
import { deliveryStatuses } from '#contract/webhooks/webhooks.ts';
import { encodeBytes, encodeNumber } from '../shared/base62.ts';
import type { AccountEvent } from './events.ts';
import { isoOrNull, type Webhook, type WebhookRef } from './webhook.ts';

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
export function deliveryView(delivery: Delivery, { status: webhookStatus }: Pick<Webhook, 'status'>) {
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
