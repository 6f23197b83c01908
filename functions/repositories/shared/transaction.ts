import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

export type TransactItem = NonNullable<TransactWriteCommand['input']['TransactItems']>[number];

/** Writes all or nothing. Returns false if a condition failed. Throws any other cancellation. */
export async function commit(client: DynamoDBDocumentClient, items: readonly TransactItem[]): Promise<boolean> {
  return (await failedItems(client, items)).length === 0;
}

/** Writes all or nothing. Returns the indices of the items whose conditions failed. Throws any other cancellation. */
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

export function cancellationReasons(error: unknown) {
  return error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
}

export function failedConditions(error: unknown) {
  return cancellationReasons(error).filter(({ Code }) => Code === conditionFailed);
}

export function putNew(TableName: string, Item: Record<string, unknown>): TransactItem {
  return { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
}
