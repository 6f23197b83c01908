import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteCommand,
  type BatchWriteCommandOutput,
  type DynamoDBDocumentClient,
  paginateQuery,
} from '@aws-sdk/lib-dynamodb';
import { doublingPause } from '#contract/shared/time.ts';
import { Key, readable } from './read-items.ts';

/** Maximum of BatchWriteItem. */
const keysPerWrite = 25;

/** Concurrent batches per partition, which allows 1,000 write units per second. A batch takes about 10 ms. */
const concurrency = 4;

/** Pauses in ms before unprocessed keys are sent again, doubled up to the maximum. Ten tries take about 12 s. */
const pauseMs = { first: 25, max: 3200 } as const;
const maxTries = 10;

export async function* keysIn(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  prefix = '',
): AsyncGenerator<Key> {
  const query = {
    TableName: table,
    KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ...(prefix !== '' && { ':prefix': prefix }) },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) yield* readable(Key, Items);
}

export async function* batchesOf<Key>(keys: AsyncGenerator<Key>): AsyncGenerator<Key[]> {
  let batch: Key[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < keysPerWrite) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Deletes up to 25 items. Retries throttled keys, which DynamoDB returns as unprocessed. */
export async function deleteKeys(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Readonly<Record<string, string | number>>[],
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<void> {
  let left: NonNullable<BatchWriteCommandOutput['UnprocessedItems']> = {
    [table]: keys.map((key) => ({ DeleteRequest: { Key: { ...key } } })),
  };
  for (let tries = 1; ; tries++) {
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: left }));
    if (Object.keys(UnprocessedItems).length === 0) return;
    if (tries === maxTries) throw new Error(`DynamoDB left deletions unprocessed ${maxTries} times`);
    left = UnprocessedItems;
    await pause(doublingPause(tries, pauseMs));
  }
}

/** Runs `act` for `width` items concurrently. After a failure, waits for the running ones and throws. */
export async function each<T>(
  items: AsyncGenerator<T> | IterableIterator<T>,
  width: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  async function work(): Promise<void> {
    for await (const item of items) await act(item);
  }
  const ends = await Promise.allSettled(Array.from({ length: width }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Deletes a partition. Throws the reason of `signal` if it aborts; a later run deletes the rest. */
export async function deletePartition(
  client: DynamoDBDocumentClient,
  table: string,
  pk: string,
  signal?: AbortSignal,
): Promise<void> {
  await each(batchesOf(keysIn(client, table, pk)), concurrency, async (batch) => {
    signal?.throwIfAborted();
    await deleteKeys(client, table, batch);
  });
}
