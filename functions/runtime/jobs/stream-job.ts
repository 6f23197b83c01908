import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { explainOutage } from '../outage.ts';
import { changeOf, type HandleImage, type ItemChange, itemOf, storedChange } from '../stream-image.ts';
import { logger } from '../telemetry.ts';

/**
 * A Lambda on a table's stream. Records are handled in order; the first that fails is reported, and it and what comes
 * after it are tried again (partial batch response).
 */
export function streamJob(handle: HandleImage) {
  return recordsInOrder(async ({ dynamodb }) => {
    if (dynamodb?.NewImage) await handle(itemOf(dynamodb.NewImage));
  });
}

function recordsInOrder(handle: (record: DynamoDBRecord) => Promise<void>) {
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (const record of Records) {
      try {
        await handle(record);
      } catch (error) {
        logger().error('a stream record failed and will be tried again', { error });
        return responseFor(record);
      }
    }
    return responseFor(undefined);
  };
}

/** As `streamJob`, with the item before and after each change. */
export function orderedChangeJob(handle: (change: ItemChange) => Promise<void>) {
  return recordsInOrder(async (record) => {
    const stored = storedChange(record);
    if (stored) await handle(changeOf(stored));
  });
}

/** Items whose records are handled at a time; each waits for DynamoDB most of its time. */
const maxConcurrentItems = 10;

/**
 * As `streamJob`, but the records of one item are in order only among themselves: items are handled beside each other. A
 * record that fails holds up its own item only: its image, and those of the item that follow in the batch, go to the queue in
 * their order. An outage is everybody's: nothing more is begun, and the stream tries again from the first record that is not
 * done. So it does with what the queue does not take.
 */
export function itemStreamJob(handle: HandleImage, retryQueue: () => Promise<MessageQueue>) {
  return besideEachOther(async (records, progress) => {
    let isFailing = false;
    for (const record of records) {
      if (progress.isStopped) return;
      const image = record.dynamodb?.NewImage;
      if (image) {
        isFailing ||= !(await succeeds(() => handle(itemOf(image))));
        if (isFailing) await (await retryQueue()).send(image, { group: groupOf(record) });
      }
      progress.done(record);
    }
  });
}

/** What a job does with the changes of one item, in their order. */
export type HandleChanges = (changes: readonly ItemChange[]) => Promise<void>;

/**
 * A Lambda on a stream that has the item before and after a change. All changes of an item in a batch are handled together; where that fails, each
 * goes to the queue by itself, as `{ change }`. Otherwise as `itemStreamJob`.
 */
export function changeStreamJob(handle: HandleChanges, retryQueue: () => Promise<MessageQueue>) {
  return besideEachOther(async (records, progress) => {
    if (progress.isStopped) return;
    const stored = records.flatMap((record) => storedChange(record) ?? []);
    if (stored.length > 0 && !(await succeeds(() => handle(stored.map(changeOf)))))
      for (const change of stored) await (await retryQueue()).send({ change }, { group: groupOf(records[0]) });
    for (const record of records) progress.done(record);
  });
}

interface Progress {
  /** Nothing more is to be begun. */
  readonly isStopped: boolean;
  readonly done: (record: DynamoDBRecord) => void;
}

function besideEachOther(handleItem: (records: readonly DynamoDBRecord[], progress: Progress) => Promise<void>) {
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const left = new Set(Records);
    const items = Map.groupBy(Records, ({ dynamodb }) => JSON.stringify(dynamodb?.Keys)).values();
    const progress = { isStopped: false, done: (record: DynamoDBRecord) => void left.delete(record) };

    async function work(): Promise<void> {
      for (const records of items) {
        try {
          await handleItem(records, progress);
        } catch (error) {
          progress.isStopped = true;
          logger().error('a stream record failed and will be tried again', { error });
        }
      }
    }

    await Promise.all(Array.from({ length: maxConcurrentItems }, work));
    return responseFor(left.values().next().value);
  };
}

async function succeeds(handle: () => Promise<void>): Promise<boolean> {
  try {
    await handle();
    return true;
  } catch (error) {
    if (explainOutage(error)) throw error;
    logger().error('a stream record failed and goes to the retry queue', { error });
    return false;
  }
}

/** The item's partition key: the account, for the meters. */
function groupOf(record: DynamoDBRecord | undefined): string | undefined {
  const [key] = Object.values(record?.dynamodb?.Keys ?? {});
  return key?.N ?? key?.S;
}

/** Has this record delivered again, and all after it. */
function responseFor(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: record ? [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] : [] };
}

const StreamEvent = v.object({
  Records: v.array(v.object({ dynamodb: v.object({ NewImage: v.optional(v.record(v.string(), v.unknown())) }) })),
});

/** What Lambda writes of a batch that it gives up: the event as JSON text in `payload`, beside metadata. */
const InvocationRecord = v.object({
  payload: v.union([v.pipe(v.string(), v.parseJson(), StreamEvent), StreamEvent]),
});

/**
 * The images, in DynamoDB JSON and in the stream's order, of an object that Lambda wrote to an on-failure destination in S3
 * (AWS "Retain discarded records for a DynamoDB event source in Lambda"). Throws a ValiError for any other text.
 */
export function givenUpImages(text: string): readonly Record<string, unknown>[] {
  const { payload } = v.parse(v.pipe(v.string(), v.parseJson(), InvocationRecord), text);
  return payload.Records.flatMap(({ dynamodb: { NewImage } }) => (NewImage ? [NewImage] : []));
}
