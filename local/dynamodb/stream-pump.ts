import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  type _Record as ClientRecord,
  type AttributeValue as ClientValue,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { EventPattern } from '#contract/platform/resources.ts';
import { doublingPause } from '#contract/shared/time.ts';
import { readJsonFile } from '../shared/data-folder.ts';
import { describeError } from '../shared/problems.ts';
import { BatchResponse, type Pump, startPump } from '../shared/pump.ts';
import type { DatabaseFile, StoredRecord } from './upkeep.ts';

export interface StreamPumpOptions extends Omit<DeliveryOptions, 'signal'> {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  /** Stores the position, so that at most the last batch is repeated after kill -9. */
  readonly checkpointFile: string;
  /** The embedded database's file, which is read without requests. */
  readonly file?: DatabaseFile | undefined;
  /** Minimum milliseconds between reads. Records of one read share requests. */
  readonly restMs: number;
}

export interface StreamPump extends Pump {
  /** Sequence number up to which every record is processed. 0 if unknown. */
  position(): number;
}

const batchSize = 100;
/** Writes that bypass the proxy do not wake the pump. */
const idleMs = 2000;

const Checkpoint = v.object({ streamArn: v.string(), positions: v.record(v.string(), v.string()) });

export async function startStreamPump(options: StreamPumpOptions): Promise<StreamPump> {
  const { client, file, streamArn, checkpointFile, restMs } = options;
  const positions = await readPositions(options);
  const reader = file ? fileReader(file, streamArn, positions) : apiReader(client, streamArn, positions);
  let checkpoint: number | undefined;
  let size = 0;

  /** One write in place, which kill -9 cannot interrupt. Spaces replace the rest of longer text. */
  function note(shardId: string, position: string): void {
    positions.set(shardId, position);
    const text = JSON.stringify({ streamArn, positions: Object.fromEntries(positions) });
    checkpoint ??= openSync(checkpointFile, constants.O_RDWR | constants.O_CREAT, 0o600);
    size = Math.max(size || fstatSync(checkpoint).size, text.length);
    writeSync(checkpoint, text.padEnd(size), 0);
  }

  let seen: number | undefined;

  async function poll(signal: AbortSignal): Promise<boolean> {
    const version = file?.version();
    if (version !== undefined && version === seen) return true;
    let isComplete = true;
    for await (const { shardId, records, isLast } of reader.pages(batchSize)) {
      await deliverRecords({ ...options, signal }, records, (position) => note(shardId, position));
      if (isLast) note(shardId, shardEnd);
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

  const pump = startPump({ poll, restMs, idleMs, onError });
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    await pump.close();
    if (checkpoint !== undefined) closeSync(checkpoint);
  }

  return { ...pump, close: () => (closing ??= end()), position };
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
  readonly records: readonly DynamoDBRecord[];
  readonly isLast: boolean;
}

export interface ShardReader {
  /** A page of each shard whose parent has been read completely. */
  pages(pageSize: number): AsyncIterable<ShardPage>;
  rewind(): void;
}

/** The embedded database has one shard for each table. */
function fileReader(file: DatabaseFile, streamArn: string, positions: Positions): ShardReader {
  const [, table = ''] = streamArn.split('/');
  return {
    async *pages(pageSize) {
      const [after = 0] = [...positions.values()].map(Number);
      const stored = file.streamRecords(table, after, pageSize);
      const [first] = stored;
      if (!first) return;
      yield { shardId: first.shardId, records: stored.map((record) => storedEvent(record, streamArn)), isLast: false };
    },
    rewind: () => undefined,
  };
}

function storedEvent(
  { sequenceNumber, eventName, at, keys: Keys, newImage, oldImage }: StoredRecord,
  eventSourceARN: string,
): DynamoDBRecord {
  return {
    eventID: `${eventSourceARN} ${sequenceNumber}`,
    ...(v.is(EventName, eventName) && { eventName }),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN,
    awsRegion: 'us-east-1',
    dynamodb: {
      Keys,
      ...(newImage && { NewImage: newImage }),
      get OldImage() {
        return oldImage();
      },
      SequenceNumber: sequenceNumber,
      ApproximateCreationDateTime: at,
    },
  };
}

const EventName = v.picklist(['INSERT', 'MODIFY', 'REMOVE']);

function apiReader(client: DynamoDBStreamsClient, StreamArn: string, positions: Positions): ShardReader {
  const iterators = new Map<string, string>();
  let shards: readonly Shard[] | undefined;

  async function* pages(pageSize: number): AsyncIterable<ShardPage> {
    for (const shardId of readable((shards ??= await listShards(client, StreamArn)), positions)) {
      const ShardIterator = iterators.get(shardId) ?? (await iteratorOf(shardId));
      if (ShardIterator === undefined) continue;
      const page = await client.send(new GetRecordsCommand({ ShardIterator, Limit: pageSize }));
      const next = page.NextShardIterator;
      const records = (page.Records ?? []).map((record) => eventRecord(record, StreamArn));
      yield { shardId, records, isLast: next === undefined };
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

export interface DeliveryOptions {
  readonly filters: readonly EventPattern[];
  readonly deliver: (event: DynamoDBStreamEvent) => Promise<unknown>;
  readonly log: (line: string) => void;
  readonly concurrentBatches: number;
  readonly signal: AbortSignal;
}

const waitsMs = { first: 50, max: 2000 };

/**
 * Delivers records in order, or at least those of one item, and repeats from the first failed record until all succeed.
 * A failure delays the shard but loses no record. `done` receives sequence numbers up to which all records are
 * processed. Rejects when the signal aborts.
 */
async function deliverRecords(
  options: DeliveryOptions,
  records: readonly DynamoDBRecord[],
  done: (sequenceNumber: string) => void,
): Promise<void> {
  const { concurrentBatches } = options;
  if (concurrentBatches === 1) return deliverInOrder(options, records, done);
  const batches = Map.groupBy(records, ({ dynamodb }) => crc32(JSON.stringify(dynamodb?.Keys)) % concurrentBatches);
  const deliveries = batches.values().map((batch) => deliverInOrder(options, batch, () => undefined));
  const failed = (await Promise.allSettled(deliveries)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  const last = records.at(-1)?.dynamodb?.SequenceNumber;
  if (last !== undefined) done(last);
}

async function deliverInOrder(
  options: DeliveryOptions,
  records: readonly DynamoDBRecord[],
  done: (sequenceNumber: string) => void,
): Promise<void> {
  let failures = 0;
  for (let rest = records; rest.length > 0;) {
    const failed = await firstFailed(options, rest, failures);
    const finished = failed === -1 ? rest : rest.slice(0, failed);
    const last = finished.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) done(last);
    if (failed === -1) return;
    failures = failed === 0 ? failures + 1 : 1;
    rest = rest.slice(failed);
    await sleep(doublingPause(failures, waitsMs), undefined, { signal: options.signal });
  }
}

/** Index of the first record to deliver again, or -1. */
async function firstFailed(
  options: DeliveryOptions,
  records: readonly DynamoDBRecord[],
  failures: number,
): Promise<number> {
  options.signal.throwIfAborted();
  const wanted = records.filter((record) => passes(options.filters, record));
  if (wanted.length === 0) return -1;
  try {
    const { batchItemFailures } = v.parse(BatchResponse, await options.deliver({ Records: wanted })) ?? {};
    const indexes = (batchItemFailures ?? []).map(({ itemIdentifier }) =>
      records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === itemIdentifier),
    );
    // Like Lambda, retries the whole batch if the response names an unknown record.
    return indexes.length === 0 ? -1 : Math.max(0, Math.min(...indexes));
  } catch (error) {
    if (Number.isInteger(Math.log2(failures + 1))) options.log(`failed, will be retried: ${describeError(error)}`);
    return records.findIndex((record) => record === wanted[0]);
  }
}

/** Whether a record matches one of the filters, like Lambda's event source mapping. */
export function passes(patterns: readonly EventPattern[], record: unknown): boolean {
  return patterns.some((pattern) => matches(pattern, record));
}

function matches(pattern: EventPattern[string], value: unknown): boolean {
  if (Array.isArray(value)) return value.some((element) => matches(pattern, element));
  if (Array.isArray(pattern)) return isLeaf(value);
  return Object.entries(pattern).every(([name, inner]) => matches(inner, memberOf(value, name)));
}

/** Values for which `exists` is true. The SDK returns bytes; Lambda receives them as base64. */
const isLeaf = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || value instanceof Uint8Array);

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? Reflect.get(value, name) : undefined;
}

/** A stream record in Lambda's format: DynamoDB JSON, with binary values in base64 and times in seconds. */
export function eventRecord(record: ClientRecord, streamArn: string): DynamoDBRecord {
  const {
    Keys,
    OldImage,
    NewImage,
    SequenceNumber,
    StreamViewType,
    SizeBytes,
    ApproximateCreationDateTime: at,
  } = record.dynamodb ?? {};
  return {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    awsRegion: record.awsRegion,
    dynamodb: {
      Keys: Keys && eventItem(Keys),
      OldImage: OldImage && eventItem(OldImage),
      NewImage: NewImage && eventItem(NewImage),
      SequenceNumber,
      SizeBytes,
      StreamViewType,
      ApproximateCreationDateTime: at && at.getTime() / 1000,
    },
  };
}

function eventItem(item: Record<string, ClientValue>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, eventValue(value)]));
}

function eventValue(value: ClientValue): AttributeValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.M) return { M: eventItem(value.M) };
  if (value.L) return { L: value.L.map(eventValue) };
  if (value.B) return { B: base64(value.B) };
  if (value.SS) return { SS: value.SS };
  if (value.NS) return { NS: value.NS };
  if (value.BS) return { BS: value.BS.map(base64) };
  return { NULL: true };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
