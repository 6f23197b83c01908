import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams';

/** Per shard the sequence number of the last record that is done with, or 'end' for a closed shard read whole. */
export type Positions = Map<string, string>;

export const shardEnd = 'end';

/** The next records of one shard, in order; `isLast` when it is closed and has no more. */
export interface ShardPage {
  readonly shardId: string;
  readonly records: readonly StreamRecord[];
  readonly isLast: boolean;
}

export interface ShardReader {
  /** A page of every shard whose parent has been read whole. */
  pages(pageSize: number): AsyncIterable<ShardPage>;
  /** Goes back to the positions, after an error or an undelivered page. */
  rewind(): void;
}

/** Reads a table's stream on from the positions, which the caller moves as it gets things done. */
export function createShardReader(client: DynamoDBStreamsClient, StreamArn: string, positions: Positions): ShardReader {
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

/** A child's records come after its parent's. */
function readable(shards: readonly Shard[], positions: Positions): string[] {
  const listed = new Set(shards.map((shard) => shard.ShardId));
  const isDone = (id: string | undefined): boolean =>
    id === undefined || !listed.has(id) || positions.get(id) === shardEnd;
  return shards.flatMap(({ ShardId, ParentShardId }) =>
    ShardId !== undefined && !isDone(ShardId) && isDone(ParentShardId) ? [ShardId] : [],
  );
}
