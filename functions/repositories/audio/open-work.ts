import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { AudioRef } from '#domain/audio/jobs/job.ts';
import { readItem } from '../shared/read-item.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { openKey, OpenRow } from './audio-items.ts';

const none: OpenRow = { version: 0, uploads: {}, jobs: {} };

/**
 * What of an account has not ended: one item, replaced on condition that it is as it was read. A removal that is lost counts until its moment,
 * so a limit never holds for good.
 */
export function openWork(client: DynamoDBDocumentClient, table: string) {
  const remove =
    (list: 'uploads' | 'jobs') =>
    async ({ accountId, id }: AudioRef): Promise<void> => {
      await client
        .send(
          new UpdateCommand({
            TableName: table,
            Key: openKey(accountId),
            UpdateExpression: 'REMOVE #list.#id SET version = version + :one',
            ConditionExpression: 'attribute_exists(#list.#id)',
            ExpressionAttributeNames: { '#list': list, '#id': id },
            ExpressionAttributeValues: { ':one': 1 },
          }),
        )
        .catch(() => undefined);
    };

  return {
    async read(accountId: number, now: number): Promise<OpenRow> {
      const item = await readItem(client, table, openKey(accountId));
      const { version, uploads, jobs } = item ? v.parse(OpenRow, item) : none;
      return { version, uploads: alive(uploads, now), jobs: alive(jobs, now) };
    },
    replaced(accountId: number, before: OpenRow, change: Partial<Omit<OpenRow, 'version'>>): TransactItem {
      const Item = { ...openKey(accountId), ...before, ...change, version: before.version + 1 };
      const isNew = before.version === 0;
      return {
        Put: {
          TableName: table,
          Item,
          ConditionExpression: isNew ? 'attribute_not_exists(pk)' : 'version = :before',
          ...(!isNew && { ExpressionAttributeValues: { ':before': before.version } }),
        },
      };
    },
    removeUpload: remove('uploads'),
    removeJob: remove('jobs'),
  };
}

const alive = (moments: Readonly<Record<string, number>>, now: number) =>
  Object.fromEntries(Object.entries(moments).filter(([, moment]) => moment > now));
