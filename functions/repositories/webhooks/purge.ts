import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { accountPartition, webhookIdIn, webhookPartition } from './webhook-items.ts';

const Key = v.object({ pk: v.string(), sk: v.string() });

/** Deletes the webhooks of an account with all their deliveries, also of those that were deleted before. */
export async function purgeWebhooks(client: DynamoDBDocumentClient, table: string, accountId: number): Promise<void> {
  async function* keysIn(pk: string): AsyncGenerator<v.InferOutput<typeof Key>> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'pk, sk',
    };
    for await (const { Items = [] } of paginateQuery({ client }, query))
      for (const item of Items) yield v.parse(Key, item);
  }

  const remove = (item: v.InferOutput<typeof Key>) => client.send(new DeleteCommand({ TableName: table, Key: item }));

  for await (const webhook of keysIn(accountPartition(accountId))) {
    for await (const item of keysIn(webhookPartition(webhookIdIn(webhook.sk)))) await remove(item);
    await remove(webhook);
  }
}
