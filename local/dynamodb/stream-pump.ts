import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from '../shared/json-file.ts';
import { described } from '../shared/problems.ts';
import { type DeliveryOptions, deliverInOrder } from './batch-delivery.ts';
import { createShardReader, type Positions, shardEnd } from './stream-shards.ts';

export interface StreamPumpOptions extends Omit<DeliveryOptions, 'signal'> {
  readonly client: DynamoDBStreamsClient;
  /** Where the pump notes what is done, so that after kill -9 at most the last batch is repeated. */
  readonly checkpointFile: string;
}

/** Lambda's event source mapping on one machine: a table's stream to one function, in order, at least once. */
export interface StreamPump {
  /** Resolves when everything is done that the stream held at the call. */
  settled(): Promise<void>;
  /** Lets the batch under way end. */
  close(): Promise<void>;
}

const batchSize = 100;
const idleMs = 100;
const afterErrorMs = 500;

const Checkpoint = v.object({ streamArn: v.string(), positions: v.record(v.string(), v.string()) });

export async function startStreamPump(options: StreamPumpOptions): Promise<StreamPump> {
  const positions = await readPositions(options);
  const reader = createShardReader(options.client, options.streamArn, positions);
  const ending = new AbortController();
  let waiters: PromiseWithResolvers<void>[] = [];
  let idle = new AbortController();

  async function note(shardId: string, position: string): Promise<void> {
    positions.set(shardId, position);
    const checkpoint = { streamArn: options.streamArn, positions: Object.fromEntries(positions) };
    await writeJsonFile(options.checkpointFile, checkpoint);
  }

  /** One look at every shard; true when all that was there has been done. */
  async function pass(): Promise<boolean> {
    let isAll = true;
    for await (const { shardId, records, isLast } of reader.pages(batchSize)) {
      await deliverInOrder({ ...options, signal: ending.signal }, records, (position) => note(shardId, position));
      if (isLast) await note(shardId, shardEnd);
      if (isLast || records.length === batchSize) isAll = false;
    }
    return isAll;
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const waiting = waiters;
      waiters = [];
      const outcome = await pass().catch((error: unknown) => ({ error }));
      if (outcome === true) for (const waiter of waiting) waiter.resolve();
      else waiters = [...waiting, ...waiters];
      if (outcome === true) await pause(waiters.length > 0 ? 0 : idleMs);
      else if (outcome !== false) await recover(outcome.error);
    }
    for (const waiter of waiters) waiter.reject(new Error('the service was stopped'));
  }

  async function recover(error: unknown): Promise<void> {
    reader.rewind();
    if (ending.signal.aborted) return;
    options.log(`the stream could not be read: ${described(error)}`);
    await pause(afterErrorMs);
  }

  async function pause(ms: number): Promise<void> {
    if (ending.signal.aborted) return;
    idle = new AbortController();
    await sleep(ms, undefined, { signal: idle.signal }).catch(() => undefined);
  }

  function settled(): Promise<void> {
    if (ending.signal.aborted) return Promise.reject(new Error('the service was stopped'));
    const waiter = Promise.withResolvers<void>();
    waiters.push(waiter);
    idle.abort();
    return waiter.promise;
  }

  const ended = run();
  async function close(): Promise<void> {
    ending.abort();
    idle.abort();
    await ended;
  }

  return { settled, close };
}

/** Empty on a stream that is not the one of the checkpoint: then it is read from its beginning. */
async function readPositions({ checkpointFile, streamArn }: StreamPumpOptions): Promise<Positions> {
  const checkpoint = await readJsonFile(checkpointFile, Checkpoint);
  return new Map(checkpoint?.streamArn === streamArn ? Object.entries(checkpoint.positions) : []);
}
