import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type HandleImage, itemOf } from '../stream-image.ts';
import { logger } from '../telemetry.ts';

/** Creates a Lambda for a queue. Reports failed messages individually, so that only they are redelivered. */
export function queueJob(handle: (message: unknown) => Promise<void>, { concurrent = false } = {}) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchItemFailure[] = [];
    async function attempt({ messageId, body }: SQSRecord): Promise<void> {
      try {
        await handle(JSON.parse(body));
      } catch (error) {
        logger().error('a message failed and will be retried', { messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    if (concurrent) await Promise.all(Records.map(attempt));
    else for (const record of Records) await attempt(record);
    return { batchItemFailures };
  };
}

export function imageRetryJob(handle: HandleImage) {
  return queueJob(async (image) => handle(itemOf(image)));
}
