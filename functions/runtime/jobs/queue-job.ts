import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { logger } from '../shared/telemetry.ts';
import { type HandleImage, itemOf } from './stream-image.ts';

/** A Lambda on a queue. Messages that fail are reported, each by itself, and the queue hands them out again. */
export function queueJob(handle: (message: unknown) => Promise<void>) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchItemFailure[] = [];
    for (const { messageId, body } of Records) {
      try {
        await handle(JSON.parse(body));
      } catch (error) {
        logger().error('a message failed and will be tried again', { messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  };
}

/** On the queue of an `itemStreamJob`: does with each image what that could not do. */
export function imageRetryJob(handle: HandleImage) {
  return queueJob(async (image) => handle(itemOf(image)));
}
