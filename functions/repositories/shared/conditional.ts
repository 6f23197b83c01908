import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Requires `ReturnValuesOnConditionCheckFailure: ALL_OLD`. `met`: the item that failed the condition, if it exists. */
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

/** Matches by name, because importing the class would load the SDK, which an admitted call never does. */
const isFailedCondition = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';
