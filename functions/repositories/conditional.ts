import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/**
 * Runs a conditional write that asks for `ReturnValuesOnConditionCheckFailure: ALL_OLD`. When the condition fails,
 * `met` is the item that failed it, undefined when there is none.
 */
export async function conditionally<T>(
  write: Promise<T>,
): Promise<{ done: T } | { met: Record<string, unknown> | undefined }> {
  try {
    return { done: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { met: error.Item && unmarshall(error.Item) };
  }
}
