import { maxDelaySeconds } from '#contract/platform/queues.ts';
import type { Clock, MessageQueue } from '../../shared/ports.ts';
import type { WebhookRef } from '../webhook.ts';

/**
 * Has a worker look at a webhook at a time (epoch ms). Sends nothing if that is too far off, or the chain of runs is too long:
 * the sweep then finds the webhook. `hops`: runs in a row that each sent the message for the next one.
 */
export type Notify = (webhook: WebhookRef, at: number, hops?: number) => Promise<void>;

/** What a message has the job do. */
export interface WakeMessage {
  readonly wake: WebhookRef & { readonly hops: number };
}

/**
 * Limit of our own on a chain of runs, because Lambda's (16) is off for this function (docs/adr/0019-webhooks.md). 60 runs of
 * 30 s are half an hour of uninterrupted work. A chain that never ends is so bounded: the sweep begins it again after two minutes at the earliest.
 */
export const maxHops = 60;

/** Whether a message can be sent for this time: SQS delays one for at most 15 minutes. */
export const hasMessage = (at: number, now: number): boolean => at - now <= maxDelaySeconds * 1000;

export function notifier(queue: () => Promise<MessageQueue>, clock: Clock): Notify {
  return async ({ accountId, id }, at, hops = 0) => {
    const now = clock.now();
    if (hops > maxHops || !hasMessage(at, now)) return;
    const message: WakeMessage = { wake: { accountId, id, hops } };
    await (await queue()).send(message, {
      group: String(accountId),
      delaySeconds: Math.max(0, Math.ceil((at - now) / 1000)),
    });
  };
}
