import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';

/** An index of due items: partition key `p`, the shard, and the attribute `time` as sort key. */
export interface DueIndex {
  readonly table: string;
  readonly index: string;
  readonly time: string;
}

/** `now`: in the unit of the index's times. */
export const dueQuery = ({ table, index, time }: DueIndex, shard: number, now: number) => ({
  TableName: table,
  IndexName: index,
  KeyConditionExpression: 'p = :shard AND #due <= :now',
  ExpressionAttributeNames: { '#due': time },
  ExpressionAttributeValues: { ':shard': shard, ':now': now },
});

/** Yields the keys of due items, shard by shard. */
export async function* dueItems(
  client: DynamoDBDocumentClient,
  index: DueIndex,
  shards: Iterable<number>,
  now: number,
): AsyncGenerator<Record<string, unknown>> {
  for (const shard of shards)
    for await (const { Items = [] } of paginateQuery({ client }, dueQuery(index, shard, now))) yield* Items;
}

/** The numbers of `count` shards. */
export const everyShard = (count: number): Iterable<number> => Array(count).keys();
