import type { WebhookEventType } from '#contract/webhooks/events.ts';
import { allEvents, type disabledReasons } from '#contract/webhooks/webhooks.ts';

/** Names a webhook. */
export interface WebhookRef {
  readonly accountId: number;
  readonly id: string;
}

/** What signs; the older one of two until a moment (epoch ms). */
export interface Secret {
  readonly value: string;
  readonly until?: number | undefined;
}

export type DisabledReason = (typeof disabledReasons)[number];

/** How a webhook has responded lately: attempts that failed since one succeeded, and since when (epoch ms). */
export interface Health {
  readonly failures: number;
  readonly failingSince?: number | undefined;
  /** Nothing is sent before, unless its owner requests it. */
  readonly pausedUntil?: number | undefined;
  /** The latest run saw a response, or none, after more than two seconds. */
  readonly isSlow?: boolean | undefined;
}

/** Queues with workers of their own, so that slow receivers do not occupy those of quick ones. */
export type Lane = 'normal' | 'slow';

/** An account's webhook. Moments in epoch ms. */
export interface Webhook extends WebhookRef {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly status: 'active' | 'disabled';
  readonly disabledReason?: DisabledReason | undefined;
  /** Newest first. */
  readonly secrets: readonly Secret[];
  readonly createdAt: number;
  /** Raised by every change of its owner's, which is conditional on it. */
  readonly revision: number;
  readonly health: Health;
}

export const healthy: Health = { failures: 0 };

export const laneOf = ({ isSlow = false }: Health): Lane => (isSlow ? 'slow' : 'normal');

export const wants = ({ events }: Webhook, type: WebhookEventType): boolean =>
  events.includes(allEvents) || events.includes(type);

/** Those that sign at a moment. */
export const signingSecrets = ({ secrets }: Webhook, now: number): readonly Secret[] =>
  secrets.filter(({ until }) => until === undefined || until > now);

/** A webhook as its owner sees it; secrets are shown when they are made and never again. */
export function webhookView(webhook: Webhook) {
  const { id, url, events, description = null, status, disabledReason = null, createdAt, health } = webhook;
  return {
    id,
    url,
    events: [...events],
    description,
    status,
    disabledReason,
    failingSince: isoOrNull(health.failingSince),
    createdAt: new Date(createdAt).toISOString(),
  };
}

export function isoOrNull(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}
