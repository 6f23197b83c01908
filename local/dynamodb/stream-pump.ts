import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from '../shared/files/json-file.ts';
import { described } from '../shared/problems.ts';
import { type Pump, startPump } from '../shared/pump.ts';
import { type DeliveryOptions, deliverRecords } from './batch-delivery.ts';
import { createShardReader, type Positions, shardEnd } from './stream-shards.ts';

export interface StreamPumpOptions extends Omit<DeliveryOptions, 'signal'> {
  readonly client: DynamoDBStreamsClient;
  /** Where the pump notes what is done, so that after kill -9 at most the last batch is repeated. */
  readonly checkpointFile: string;
  /** Changes with every write to the database, so that a look is spared if there was none since the last one. */
  readonly version?: (() => number) | undefined;
}

export interface StreamPump extends Pump {
  /** Sequence number up to which every record is done with; 0 if none is, or if it is unknown. */
  position(): number;
}

const batchSize = 100;
const restMs = 100;
/** Writes past the proxy wake no pump. */
const idleMs = 500;

const Checkpoint = v.object({ streamArn: v.string(), positions: v.record(v.string(), v.string()) });

/** A table's stream to one function, in order, at least once. */
export async function startStreamPump(options: StreamPumpOptions): Promise<StreamPump> {
  const positions = await readPositions(options);
  const reader = createShardReader(options.client, options.streamArn, positions);

  async function note(shardId: string, position: string): Promise<void> {
    positions.set(shardId, position);
    const checkpoint = { streamArn: options.streamArn, positions: Object.fromEntries(positions) };
    await writeJsonFile(options.checkpointFile, checkpoint);
  }

  let seen: number | undefined;

  /** One look at every shard. */
  async function look(signal: AbortSignal): Promise<boolean> {
    const version = options.version?.();
    if (version !== undefined && version === seen) return true;
    let isAll = true;
    for await (const { shardId, records, isLast } of reader.pages(batchSize)) {
      await deliverRecords({ ...options, signal }, records, (position) => note(shardId, position));
      if (isLast) await note(shardId, shardEnd);
      if (isLast || records.length === batchSize) isAll = false;
    }
    seen = isAll ? version : undefined;
    return isAll;
  }

  function onError(error: unknown): void {
    reader.rewind();
    options.log(`the stream could not be read: ${described(error)}`);
  }

  function position(): number {
    const numbers = [...positions.values()].map(Number);
    return numbers.length > 0 && numbers.every(Number.isSafeInteger) ? Math.min(...numbers) : 0;
  }

  return { ...startPump({ look, restMs, idleMs, onError }), position };
}

/** Empty on a stream that is not the one of the checkpoint: then it is read from its beginning. */
async function readPositions({ checkpointFile, streamArn }: StreamPumpOptions): Promise<Positions> {
  const checkpoint = await readJsonFile(checkpointFile, Checkpoint);
  return new Map(checkpoint?.streamArn === streamArn ? Object.entries(checkpoint.positions) : []);
}
