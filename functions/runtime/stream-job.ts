import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { logger } from './telemetry.ts';

/**
 * A Lambda on a table's stream. Records are handled in order, for an account's rows follow each other; the first that
 * fails is reported, and it and what comes after it are tried again (partial batch response).
 */
export function streamJob(handle: (image: Record<string, unknown>) => Promise<void>) {
  return async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (const { dynamodb } of event.Records) {
      try {
        if (dynamodb?.NewImage) await handle(unmarshall(typedImage(dynamodb.NewImage)));
      } catch (error) {
        logger().error('a stream record failed and will be tried again', { error });
        return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
      }
    }
    return { batchItemFailures: [] };
  };
}

/** The event's types and the SDK's describe the same JSON in two ways. */
function typedImage(image: unknown): Record<string, AttributeValue> {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- see above
  return image as Record<string, AttributeValue>;
}
