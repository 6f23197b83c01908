import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

export type TransactItem = NonNullable<TransactWriteCommand['input']['TransactItems']>[number];

/** Writes all or nothing. False when a condition failed; anything else that cancelled it is thrown. */
export async function commit(client: DynamoDBDocumentClient, items: readonly TransactItem[]): Promise<boolean> {
  return (await failedItems(client, items)).length === 0;
}

/** Writes all or nothing: the indices of the items whose conditions failed, none where all was written; anything else that cancelled it is thrown. */
export async function failedItems(
  client: DynamoDBDocumentClient,
  items: readonly TransactItem[],
): Promise<readonly number[]> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: [...items] }));
    return [];
  } catch (error) {
    const failed = cancellationReasons(error).flatMap(({ Code }, index) => (Code === conditionFailed ? [index] : []));
    if (failed.length === 0) throw error;
    return failed;
  }
}

export const conditionFailed = 'ConditionalCheckFailed';

/** One for each item, in their order; empty for any other error. */
export function cancellationReasons(error: unknown) {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

/** The reasons of the items whose condition failed; empty for any other error. */
export function failedConditions(error: unknown) {
  return cancellationReasons(error).filter(({ Code }) => Code === conditionFailed);
}

/** Puts an item that is not there yet. */
export function putNew(TableName: string, Item: Record<string, unknown>): TransactItem {
  return { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
}
