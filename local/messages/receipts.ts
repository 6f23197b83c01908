import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { messageReceipts } from '#contract/jobs.ts';
import type { Pending } from '../shared/json-file.ts';
import { PhoneMessage } from './phones.ts';

export const Receipts = v.object({
  channel: PhoneMessage.entries.channel,
  eventTypes: v.array(v.string()),
  messageId: v.string(),
  /** Epoch ms. */
  messageRequestTimestamp: v.number(),
});
export type Receipts = v.InferOutput<typeof Receipts>;

export interface ReceiptOptions {
  readonly pending: Pending<Receipts>;
  /** Milliseconds before each event of a message. */
  readonly receiptDelayMs: number;
  /** Epoch ms of the shifted clock. */
  readonly now: () => number;
  /** Resolves when the event is handled or discarded. */
  readonly publish: (event: unknown) => Promise<void>;
}

/**
 * Publishes the delivery events of messages. After a crash, the next process publishes all events of a pending message
 * again, so some arrive twice.
 */
export function receiptPlayer({ pending, receiptDelayMs, now, publish }: ReceiptOptions) {
  const ending = new AbortController();

  async function play(receipts: Receipts): Promise<void> {
    if (receipts.eventTypes.length > 0) run(await pending.add(receipts), receipts);
  }

  function run(name: string, receipts: Receipts): void {
    const played = publishAll(receipts).then(() => (ending.signal.aborted ? undefined : pending.remove(name)));
    // Unfinished receipts are kept for the next process.
    played.catch(() => undefined);
  }

  async function publishAll({ channel, eventTypes, ...about }: Receipts): Promise<void> {
    const handled: Promise<void>[] = [];
    for (const eventType of eventTypes) {
      await sleep(receiptDelayMs, undefined, { signal: ending.signal, ref: false });
      handled.push(publish(eventOf(channel, eventType, about, now())));
    }
    await Promise.all(handled);
  }

  return {
    play,
    async resume(): Promise<void> {
      for (const { name, work } of await pending.left()) run(name, work);
    },
    close: () => ending.abort(),
  };
}

const passing = new Set(['TEXT_SUCCESSFUL', 'VOICE_INITIATED', 'VOICE_RINGING', 'VOICE_ANSWERED']);

/**
 * Follows the EventBridge examples, which contain neither number nor context (AWS "Monitoring with EventBridge" of End
 * User Messaging).
 */
function eventOf(channel: Receipts['channel'], eventType: string, about: object, at: number): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': messageReceipts.detailTypes[channel],
    source: messageReceipts.source,
    account: '000000000000',
    time: new Date(at).toISOString(),
    region: 'us-east-1',
    resources: [],
    detail: { eventType, eventVersion: '1.0', eventTimestamp: at, isFinal: !passing.has(eventType), ...about },
  };
}
