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
 * 30 s are half an hour of uninterrupted work. A chain that never ends is so bounded to 60 runs for each minute of the sweep.
 */
export const maxHops = 60;

export function notifier(queue: () => Promise<MessageQueue>, clock: Clock): Notify {
  return async ({ accountId, id }, at, hops = 0) => {
    if (hops > maxHops) return;
    const delaySeconds = Math.max(0, Math.ceil((at - clock.now()) / 1000));
    const message: WakeMessage = { wake: { accountId, id, hops } };
    if (delaySeconds <= maxDelaySeconds) await (await queue()).send(message, delaySeconds);
  };
}
