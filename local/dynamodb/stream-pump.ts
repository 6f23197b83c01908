import {
  type _Record as StreamRecord,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import * as v from 'valibot';
import { readJsonFile, writeJsonFile } from '../shared/json-file.ts';
import { describeError } from '../shared/problems.ts';
import { type Pump, startPump } from '../shared/pump.ts';
import { deliverRecords, type DeliveryOptions } from './batch-delivery.ts';

export interface StreamPumpOptions extends Omit<DeliveryOptions, 'signal'> {
  readonly client: DynamoDBStreamsClient;
  /** Stores the position, so that at most the last batch is repeated after kill -9. */
  readonly checkpointFile: string;
  /** Changes with every write to the database. Saves reads of an unchanged stream. */
  readonly version?: (() => number) | undefined;
}

export interface StreamPump extends Pump {
  /** Sequence number up to which every record is processed. 0 if unknown. */
  position(): number;
}

const batchSize = 100;
const restMs = 100;
/** Writes that bypass the proxy do not wake the pump. */
const idleMs = 2000;

const Checkpoint = v.object({ streamArn: v.string(), positions: v.record(v.string(), v.string()) });

export async function startStreamPump(options: StreamPumpOptions): Promise<StreamPump> {
  const positions = await readPositions(options);
  const reader = createShardReader(options.client, options.streamArn, positions);

  async function note(shardId: string, position: string): Promise<void> {
    positions.set(shardId, position);
    const checkpoint = { streamArn: options.streamArn, positions: Object.fromEntries(positions) };
    await writeJsonFile(options.checkpointFile, checkpoint);
  }

  let seen: number | undefined;

  async function poll(signal: AbortSignal): Promise<boolean> {
    const version = options.version?.();
    if (version !== undefined && version === seen) return true;
    let isComplete = true;
    for await (const { shardId, records, isLast } of reader.pages(batchSize)) {
      await deliverRecords({ ...options, signal }, records, (position) => note(shardId, position));
      if (isLast) await note(shardId, shardEnd);
      if (isLast || records.length === batchSize) isComplete = false;
    }
    seen = isComplete ? version : undefined;
    return isComplete;
  }

  function onError(error: unknown): void {
    reader.rewind();
    options.log(`the stream could not be read: ${describeError(error)}`);
  }

  function position(): number {
    const numbers = [...positions.values()].map(Number);
    return numbers.length > 0 && numbers.every(Number.isSafeInteger) ? Math.min(...numbers) : 0;
  }

  return { ...startPump({ poll, restMs, idleMs, onError }), position };
}

/** Empty if the checkpoint belongs to another stream, which is then read from the beginning. */
async function readPositions({ checkpointFile, streamArn }: StreamPumpOptions): Promise<Positions> {
  const checkpoint = await readJsonFile(checkpointFile, Checkpoint);
  return new Map(checkpoint?.streamArn === streamArn ? Object.entries(checkpoint.positions) : []);
}

/** Position by shard: sequence number of the last processed record, or 'end' for a fully read closed shard. */
export type Positions = Map<string, string>;

const shardEnd = 'end';

/** The next records of a shard, in order. `isLast`: the shard is closed and has no more. */
export interface ShardPage {
  readonly shardId: string;
  readonly records: readonly StreamRecord[];
  readonly isLast: boolean;
}

export interface ShardReader {
  /** A page of each shard whose parent has been read completely. */
  pages(pageSize: number): AsyncIterable<ShardPage>;
  rewind(): void;
}

function createShardReader(client: DynamoDBStreamsClient, StreamArn: string, positions: Positions): ShardReader {
  const iterators = new Map<string, string>();
  let shards: readonly Shard[] | undefined;

  async function* pages(pageSize: number): AsyncIterable<ShardPage> {
    for (const shardId of readable((shards ??= await listShards(client, StreamArn)), positions)) {
      const ShardIterator = iterators.get(shardId) ?? (await iteratorOf(shardId));
      if (ShardIterator === undefined) continue;
      const page = await client.send(new GetRecordsCommand({ ShardIterator, Limit: pageSize }));
      const next = page.NextShardIterator;
      yield { shardId, records: page.Records ?? [], isLast: next === undefined };
      if (next !== undefined) iterators.set(shardId, next);
      else rewind();
    }
  }

  async function iteratorOf(ShardId: string): Promise<string | undefined> {
    const SequenceNumber = positions.get(ShardId);
    const from = SequenceNumber
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber }
      : { ShardIteratorType: 'TRIM_HORIZON' as const };
    return (await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...from }))).ShardIterator;
  }

  function rewind(): void {
    iterators.clear();
    shards = undefined;
  }

  return { pages, rewind };
}

async function listShards(client: DynamoDBStreamsClient, StreamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const command = new DescribeStreamCommand({ StreamArn, ...(ExclusiveStartShardId && { ExclusiveStartShardId }) });
    const { StreamDescription } = await client.send(command);
    shards.push(...(StreamDescription?.Shards ?? []));
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

/** The records of a child shard follow those of its parent. */
function readable(shards: readonly Shard[], positions: Positions): string[] {
  const listed = new Set(shards.map((shard) => shard.ShardId));
  const isDone = (id: string | undefined): boolean =>
    id === undefined || !listed.has(id) || positions.get(id) === shardEnd;
  return shards.flatMap(({ ShardId, ParentShardId }) =>
    ShardId !== undefined && !isDone(ShardId) && isDone(ParentShardId) ? [ShardId] : [],
  );
}
