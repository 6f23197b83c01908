import { maxDelaySeconds } from '#contract/platform/queues.ts';
import type { Clock, MessageQueue } from '../../shared/ports.ts';
import type { Lane } from '../webhook.ts';

/** Webhooks of one account that one worker looks at together. */
export interface WebhookGroup {
  readonly accountId: number;
  readonly ids: readonly string[];
}

/**
 * Wakes a worker of a lane for webhooks at a time (epoch ms). Sends nothing if that is too far off, or the chain of runs is too long:
 * the sweep then finds the webhooks. `hops`: runs in a row that each sent the message for the next one.
 */
export type Notify = (webhooks: WebhookGroup, lane: Lane, at: number, hops?: number) => Promise<void>;

/** Message to a worker. */
export interface WakeMessage {
  readonly wake: WebhookGroup & { readonly hops: number };
}

/**
 * Limit of our own on a chain of runs, because Lambda's (16) is off for these functions (docs/adr/0019-webhooks.md). 60 runs of
 * 30 s are half an hour of uninterrupted work. An endless chain is thus bounded: the sweep begins it again after two minutes at the earliest.
 */
export const maxHops = 60;

/** Whether a message can be sent for this time: SQS delays one for at most 15 minutes. */
export const hasMessage = (at: number, now: number): boolean => at - now <= maxDelaySeconds * 1000;

/** Sends to the queue of a lane, whose consumers give each account its share. */
export function notifier(queues: Readonly<Record<Lane, () => Promise<MessageQueue>>>, clock: Clock): Notify {
  return async ({ accountId, ids }, lane, at, hops = 0) => {
    const now = clock.now();
    if (hops > maxHops || !hasMessage(at, now)) return;
    const message: WakeMessage = { wake: { accountId, ids, hops } };
    const delaySeconds = Math.max(0, Math.ceil((at - now) / 1000));
    await (await queues[lane]()).send(message, { group: String(accountId), delaySeconds });
  };
}
