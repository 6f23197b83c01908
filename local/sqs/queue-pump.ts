import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { describeError } from '../shared/problems.ts';
import { BatchResponse, type Pump, startPump } from '../shared/pump.ts';
import { md5, type QueueStore, type ReceivedMessage } from './server.ts';

export interface QueuePumpOptions {
  readonly name: string;
  readonly store: Pick<QueueStore, 'receive' | 'delete' | 'hasVisible' | 'onArrival'>;
  /** Maximum concurrent batches. Default and maximum: 50. */
  readonly maxConcurrency?: number | undefined;
  /** Messages per batch. Default: 10. */
  readonly batchSize?: number | undefined;
  readonly deliver: (event: SQSEvent) => Promise<unknown>;
  readonly log: (line: string) => void;
}

const maxBatchSize = 10;
const restMs = 50;
/** A delayed or failed message may be this late. */
const idleMs = 2000;
const busyMs = 50;
const closingMs = 5000;

const concurrentBatches = 50;

/**
 * Delivers a queue to one function, at least once. Failed messages stay in the queue, hidden until their visibility
 * timeout.
 */
export function startQueuePump(options: QueuePumpOptions): Pump {
  const { name, store, deliver, log, batchSize = maxBatchSize } = options;
  const maxConcurrentBatches = Math.min(options.maxConcurrency ?? concurrentBatches, concurrentBatches);
  const running = new Set<Promise<void>>();

  async function poll(): Promise<boolean> {
    if (running.size === 0 && !store.hasVisible(name)) return true;
    if (running.size >= maxConcurrentBatches) await Promise.race(running);
    const messages = store.receive(name, batchSize);
    if (messages.length > 0) start(messages);
    else if (running.size === 0) return true;
    else await Promise.race([...running, sleep(busyMs)]);
    return false;
  }

  function start(messages: readonly ReceivedMessage[]): void {
    const handling = handle(messages)
      .catch(onError)
      .finally(() => running.delete(handling));
    running.add(handling);
  }

  async function handle(messages: readonly ReceivedMessage[]): Promise<void> {
    const failed = await failures(messages.map((message) => eventRecord(message, name)));
    for (const { id, receipt } of messages) if (!failed.has(id)) store.delete(name, receipt);
  }

  async function failures(Records: SQSRecord[]): Promise<ReadonlySet<string>> {
    const all = new Set(Records.map(({ messageId }) => messageId));
    try {
      const { batchItemFailures } = v.parse(BatchResponse, await deliver({ Records })) ?? {};
      const failed = new Set((batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
      if (failed.size > 0) log(`${failed.size} of ${all.size} messages failed, will be retried`);
      // Like Lambda, retries the whole batch if the response names an unknown message.
      return failed.isSubsetOf(all) ? failed : all;
    } catch (error) {
      log(`failed, will be retried: ${describeError(error)}`);
      return all;
    }
  }

  function onError(error: unknown): void {
    log(`the queue could not be read: ${describeError(error)}`);
  }

  const pump = startPump({ poll, restMs, idleMs, onError });
  store.onArrival(name, () => pump.wake());
  async function close(): Promise<void> {
    await pump.close();
    await Promise.race([Promise.all(running), sleep(closingMs, undefined, { ref: false })]);
  }
  return { ...pump, close };
}

/** A message in Lambda's format (AWS "Example standard queue message event"). */
function eventRecord({ id, body, receipt, sentAt, receives }: ReceivedMessage, queue: string): SQSRecord {
  return {
    messageId: id,
    receiptHandle: receipt,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(sentAt),
      SenderId: 'local',
      ApproximateFirstReceiveTimestamp: String(sentAt),
    },
    messageAttributes: {},
    md5OfBody: md5(body),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
    awsRegion: 'us-east-1',
  };
}
