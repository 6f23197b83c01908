import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type HandleImage, itemOf } from '../shared/stream-image.ts';
import { logger } from '../shared/telemetry.ts';

/**
 * A Lambda on a queue. Messages that fail are reported, each by itself, and the queue hands them out again. `concurrent`: those of a batch are
 * handled beside each other.
 */
export function queueJob(handle: (message: unknown) => Promise<void>, { concurrent = false } = {}) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchItemFailure[] = [];
    async function attempt({ messageId, body }: SQSRecord): Promise<void> {
      try {
        await handle(JSON.parse(body));
      } catch (error) {
        logger().error('a message failed and will be tried again', { messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    if (concurrent) await Promise.all(Records.map(attempt));
    else for (const record of Records) await attempt(record);
    return { batchItemFailures };
  };
}

/** On the queue of an `itemStreamJob`: does with each image what that could not do. */
export function imageRetryJob(handle: HandleImage) {
  return queueJob(async (image) => handle(itemOf(image)));
}
