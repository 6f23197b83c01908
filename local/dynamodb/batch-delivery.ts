import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type {
  _Record as ClientRecord,
  _Record as StreamRecord,
  AttributeValue as ClientValue,
} from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { EventPattern } from '#contract/platform/resources.ts';
import { describeError } from '../shared/problems.ts';
import { BatchResponse } from '../shared/pump.ts';

export interface DeliveryOptions {
  readonly streamArn: string;
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
export async function deliverRecords(
  options: DeliveryOptions,
  records: readonly StreamRecord[],
  done: (sequenceNumber: string) => Promise<void>,
): Promise<void> {
  const { concurrentBatches } = options;
  if (concurrentBatches === 1) return deliverInOrder(options, records, done);
  const batches = Map.groupBy(records, ({ dynamodb }) => crc32(JSON.stringify(dynamodb?.Keys)) % concurrentBatches);
  const deliveries = batches.values().map((batch) => deliverInOrder(options, batch, async () => undefined));
  const failed = (await Promise.allSettled(deliveries)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  const last = records.at(-1)?.dynamodb?.SequenceNumber;
  if (last !== undefined) await done(last);
}

async function deliverInOrder(
  options: DeliveryOptions,
  records: readonly StreamRecord[],
  done: (sequenceNumber: string) => Promise<void>,
): Promise<void> {
  let failures = 0;
  for (let rest = records; rest.length > 0;) {
    const failed = await firstFailed(options, rest, failures);
    const finished = failed === -1 ? rest : rest.slice(0, failed);
    const last = finished.at(-1)?.dynamodb?.SequenceNumber;
    if (last !== undefined) await done(last);
    if (failed === -1) return;
    failures = failed === 0 ? failures + 1 : 1;
    rest = rest.slice(failed);
    await sleep(Math.min(waitsMs.first * 2 ** (failures - 1), waitsMs.max), undefined, { signal: options.signal });
  }
}

/** Index of the first record to deliver again, or -1. */
async function firstFailed(
  options: DeliveryOptions,
  records: readonly StreamRecord[],
  failures: number,
): Promise<number> {
  options.signal.throwIfAborted();
  const wanted = records.filter((record) => passes(options.filters, record));
  if (wanted.length === 0) return -1;
  try {
    const Records = wanted.map((record) => eventRecord(record, options.streamArn));
    const { batchItemFailures } = v.parse(BatchResponse, await options.deliver({ Records })) ?? {};
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
