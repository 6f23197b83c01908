import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** Consistent read; undefined if the item does not exist. */
export async function readItem(
  client: DynamoDBDocumentClient,
  TableName: string,
  Key: Record<string, string | number>,
): Promise<Record<string, unknown> | undefined> {
  return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}
