import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

/** One item as the primary copy has it; undefined when there is none. */
export async function readItem(
  client: DynamoDBDocumentClient,
  TableName: string,
  Key: Record<string, string | number>,
): Promise<Record<string, unknown> | undefined> {
  return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}
