import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { explainOutage } from './outage.ts';
import { type HandleImage, itemOf } from './stream-image.ts';
import { logger } from './telemetry.ts';

type Change = NonNullable<DynamoDBRecord['dynamodb']>;
type HandleChange = (change: Change) => Promise<void>;

/**
 * A Lambda on a table's stream. Records are handled in order; the first that fails is reported, and it and what comes
 * after it are tried again (partial batch response).
 */
export function streamJob(handle: HandleImage) {
  return inOrder(() => (change) => handle(itemOf(change.NewImage)));
}

/**
 * As `streamJob`, but a record that fails holds up its own item only: its image, and those of the item that follow in the
 * batch, go to the queue in their order, and the records of others are handled. An outage is everybody's: it is reported,
 * as is what the queue does not take, and the stream tries again.
 */
export function itemStreamJob(handle: HandleImage, retryQueue: () => Promise<MessageQueue>) {
  return inOrder(() => {
    const failing = new Set<string>();
    return async ({ Keys, NewImage }) => {
      const item = JSON.stringify(Keys);
      if (!failing.has(item) && (await succeeds(handle, NewImage))) return;
      failing.add(item);
      await (await retryQueue()).send(NewImage);
    };
  });
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

/** `open` gives what handles the records of one batch. */
function inOrder(open: () => HandleChange) {
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const handle = open();
    for (const { dynamodb } of Records) {
      try {
        if (dynamodb?.NewImage) await handle(dynamodb);
      } catch (error) {
        logger().error('a stream record failed and will be tried again', { error });
        return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
      }
    }
    return { batchItemFailures: [] };
  };
}
