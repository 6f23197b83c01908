import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { explainOutage } from '../shared/outage.ts';
import { logger } from '../shared/telemetry.ts';
import { type HandleImage, itemOf } from './stream-image.ts';

type Change = NonNullable<DynamoDBRecord['dynamodb']>;

/**
 * A Lambda on a table's stream. Records are handled in order; the first that fails is reported, and it and what comes
 * after it are tried again (partial batch response).
 */
export function streamJob(handle: HandleImage) {
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (const record of Records) {
      try {
        if (record.dynamodb?.NewImage) await handle(itemOf(record.dynamodb.NewImage));
      } catch (error) {
        logger().error('a stream record failed and will be tried again', { error });
        return responseFor(record);
      }
    }
    return responseFor(undefined);
  };
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
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const left = new Set(Records);
    const items = Map.groupBy(Records, ({ dynamodb }) => JSON.stringify(dynamodb?.Keys)).values();
    let isStopped = false;

    async function handleItem(records: readonly DynamoDBRecord[]): Promise<void> {
      let isFailing = false;
      for (const record of records) {
        if (isStopped) return;
        const image = record.dynamodb?.NewImage;
        if (image) {
          isFailing ||= !(await succeeds(handle, image));
          if (isFailing) await (await retryQueue()).send(image);
        }
        left.delete(record);
      }
    }

    async function work(): Promise<void> {
      for (const records of items) {
        try {
          await handleItem(records);
        } catch (error) {
          isStopped = true;
          logger().error('a stream record failed and will be tried again', { error });
        }
      }
    }

    await Promise.all(Array.from({ length: maxConcurrentItems }, work));
    return responseFor(left.values().next().value);
  };
}

async function succeeds(handle: HandleImage, image: Change['NewImage']): Promise<boolean> {
  try {
    await handle(itemOf(image));
    return true;
  } catch (error) {
    if (explainOutage(error)) throw error;
    logger().error('a stream record failed and goes to the retry queue', { error });
    return false;
  }
}

/** Has this record delivered again, and all after it. */
function responseFor(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: record ? [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] : [] };
}
