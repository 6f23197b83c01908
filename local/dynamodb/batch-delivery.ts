import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { EventPattern } from '#contract/platform/resources.ts';
import { described } from '../shared/problems.ts';
import { passes } from './event-filter.ts';
import { eventRecord } from './stream-event.ts';

export interface DeliveryOptions {
  readonly streamArn: string;
  /** Only records that pass one of them are delivered. */
  readonly filters: readonly EventPattern[];
  readonly deliver: (event: DynamoDBStreamEvent) => Promise<unknown>;
  readonly log: (line: string) => void;
  /** Batches that are handled at a time. */
  readonly concurrentBatches: number;
  /** Ends the waiting between tries. */
  readonly signal: AbortSignal;
}

/** What a function on a stream returns (AWS "Configuring partial batch response with DynamoDB and Lambda"). */
const BatchResponse = v.nullish(
  v.object({ batchItemFailures: v.nullish(v.array(v.object({ itemIdentifier: v.string() }))) }),
);

const waitsMs = { first: 50, max: 2000 };

/**
 * Delivers records in order, those of one item at least, from the first failed one on again until all are done: a failure
 * delays the shard but loses nothing. `done` gets sequence numbers up to which nothing is left to do. Rejects when the
 * signal ends it.
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

/** Index of the first record that must be delivered again, or -1. */
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
    // A name that is not in the batch means all of it, as on Lambda.
    return indexes.length === 0 ? -1 : Math.max(0, Math.min(...indexes));
  } catch (error) {
    if (Number.isInteger(Math.log2(failures + 1))) options.log(`failed, to be tried again: ${described(error)}`);
    return records.findIndex((record) => record === wanted[0]);
  }
}
