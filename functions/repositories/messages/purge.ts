import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { readable } from '../shared/readable.ts';
import { accountPartition } from './message-items.ts';

const Key = v.object({ pk: v.string(), sk: v.string() });
const concurrency = 10;

/** Deletes the messages of an account. */
export async function purgeMessages(client: DynamoDBDocumentClient, table: string, accountId: number): Promise<void> {
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': accountPartition(accountId) },
    ProjectionExpression: 'pk, sk',
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    const keys = readable(Key, Items).values();
    const work = async (): Promise<void> => {
      for (const item of keys) await client.send(new DeleteCommand({ TableName: table, Key: item }));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }
}
