import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { fileKeys } from '#domain/audio/jobs/job.ts';
import { partition } from './audio-items.ts';

const Key = v.object({ pk: v.string(), sk: v.string() });

/** Deletes the uploads and jobs of an account, with their files before them: a row names what is left. */
export async function purgeAudio(
  client: DynamoDBDocumentClient,
  TableName: string,
  accountId: number,
  removeFiles: (...keys: readonly string[]) => Promise<void>,
): Promise<void> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(accountId) },
    ProjectionExpression: 'pk, sk',
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    for (const item of Items) {
      const key = v.parse(Key, item);
      const [kind, id = ''] = key.sk.split('#');
      if (kind === 'upload') await removeFiles(fileKeys.upload({ accountId, id }));
      if (kind === 'job') await removeFiles(fileKeys.text({ accountId, id }), fileKeys.form({ accountId, id }));
      await client.send(new DeleteCommand({ TableName, Key: key }));
    }
  }
}
