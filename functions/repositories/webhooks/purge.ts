import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { deleteKeys, deletePartition, keysIn } from '../shared/deletion.ts';
import { accountPartition, webhookIdIn, webhookPartition } from './webhook-items.ts';

/** Deletes the webhooks of an account with all their deliveries, also of those that were deleted before. */
export async function purgeWebhooks(
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> {
  for await (const webhook of keysIn(client, table, accountPartition(accountId))) {
    await deletePartition(client, table, webhookPartition(webhookIdIn(webhook.sk)), signal);
    await deleteKeys(client, table, [webhook]);
  }
}
