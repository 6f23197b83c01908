import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { deletePartition } from '../shared/deletion.ts';
import { accountPartition } from './message-items.ts';

/** Deletes the messages of an account. */
export const purgeMessages = (
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> => deletePartition(client, table, accountPartition(accountId), signal);
