import { maxDelaySeconds } from '#contract/platform/queues.ts';
import type { Clock, MessageQueue } from '../../shared/ports.ts';
import type { WebhookRef } from '../webhook.ts';

/** Has a worker look at a webhook at a moment (epoch ms); one that is too far off is left to the sweep. */
export type Notify = (webhook: WebhookRef, at: number) => Promise<void>;

/** What a message has the job do. */
export interface WakeMessage {
  readonly wake: WebhookRef;
}

export function notifier(queue: () => Promise<MessageQueue>, clock: Clock): Notify {
  return async ({ accountId, id }, at) => {
    const delaySeconds = Math.max(0, Math.ceil((at - clock.now()) / 1000));
    const message: WakeMessage = { wake: { accountId, id } };
    if (delaySeconds <= maxDelaySeconds) await (await queue()).send(message, delaySeconds);
  };
}
