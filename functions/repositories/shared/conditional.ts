import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/**
 * Runs a conditional write with `ReturnValuesOnConditionCheckFailure: ALL_OLD`. When the condition fails,
 * `met` is the item that failed it, undefined when there is none.
 */
export async function conditionally<T>(
  write: Promise<T>,
): Promise<{ done: T } | { met: Record<string, unknown> | undefined }> {
  try {
    return { done: await write };
  } catch (error) {
    if (!isFailedCondition(error)) throw error;
    return { met: error.Item && unmarshall(error.Item) };
  }
}

/** By its name: its class comes with the whole of the SDK, which an admitted call never loads. */
const isFailedCondition = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';
