import { BatchGetCommand, type BatchGetCommandOutput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;

/** Keys that one read takes, and tries for those that it leaves out, which are rare. */
const keysPerRead = 100;
const maxTries = 3;

/** Attributes, which are named `#<attribute>` to DynamoDB, of those items that are there, in no order. */
export async function readItems(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
  attributes: readonly string[],
): Promise<Item[]> {
  const shown = {
    ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    ConsistentRead: true,
  };

  async function read(some: readonly Item[]): Promise<Item[]> {
    const items: Item[] = [];
    let left = [...some];
    for (let tries = 0; left.length > 0 && tries < maxTries; tries++) {
      const request = new BatchGetCommand({ RequestItems: { [table]: { ...shown, Keys: left } } });
      const found: BatchGetCommandOutput = await client.send(request);
      items.push(...(found.Responses?.[table] ?? []));
      left = found.UnprocessedKeys?.[table]?.Keys ?? [];
    }
    return items;
  }

  const starts = Array.from({ length: Math.ceil(keys.length / keysPerRead) }, (_, index) => index * keysPerRead);
  return (await Promise.all(starts.map((start) => read(keys.slice(start, start + keysPerRead))))).flat();
}
