import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { TableSpec } from '#contract/platform/tables.ts';

/**
 * Deletes the items whose time is over, which DynamoDB does by itself and the embedded database does not. `now` in
 * epoch milliseconds, of the shifted clock.
 */
export async function sweepExpired(client: DynamoDBClient, specs: readonly TableSpec[], now: number): Promise<void> {
  await Promise.all(specs.map((spec) => sweepTable(client, spec, Math.floor(now / 1000))));
}

async function sweepTable(client: DynamoDBClient, spec: TableSpec, nowSeconds: number): Promise<void> {
  if (!spec.ttlAttribute) return;
  const keys = [spec.partitionKey, ...(spec.sortKey ? [spec.sortKey] : [])].map(({ name }) => name);
  const isOver = {
    TableName: spec.name,
    ExpressionAttributeNames: { '#ttl': spec.ttlAttribute },
    ExpressionAttributeValues: { ':now': { N: String(nowSeconds) } },
  };
  for await (const { Items } of paginateScan({ client }, { ...isOver, FilterExpression: '#ttl < :now' }))
    for (const item of Items ?? []) await deleteExpired(client, { ...isOver, Key: keyOf(item, keys) });
}

function keyOf(item: Record<string, AttributeValue>, names: readonly string[]): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** The condition spares an item whose time was prolonged in the meantime. */
async function deleteExpired(client: DynamoDBClient, input: Omit<DeleteItemCommand['input'], 'ConditionExpression'>) {
  try {
    await client.send(new DeleteItemCommand({ ...input, ConditionExpression: '#ttl < :now' }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
