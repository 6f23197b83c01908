import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '#contract/shared/limits.ts';
import { retentionMs } from '#domain/webhooks/delivery.ts';
import type { Webhook, WebhookRef, WebhookStore } from '#domain/webhooks/webhook.ts';
import { seconds } from '../accounts/account-items.ts';
import { conditionally } from '../shared/conditional.ts';
import { deleteKeys, deletePartition, keysIn } from '../shared/deletion.ts';
import { readItem, readPrefix } from '../shared/read-items.ts';
import { type TransactItem, commit, putNew } from '../shared/transaction.ts';
import {
  accountPartition,
  deletedKey,
  webhookIdIn,
  webhookKey,
  webhookOf,
  webhookPartition,
  webhookPrefix,
  webhookRow,
} from './webhook-items.ts';

/** The fields that the owner can change. All others are reset by a change. */
const changeable = [
  'url',
  'events',
  'description',
  'status',
  'disabledReason',
  'secrets',
  'revision',
] as const satisfies readonly (keyof Webhook)[];

/** `metersTable` is read only when a webhook is created or deleted. */
export function webhookStore(client: DynamoDBDocumentClient, table: string, metersTable: () => string): WebhookStore {
  function named(
    { accountId, id }: WebhookRef,
    action: 'ADD' | 'DELETE',
    condition: string,
    values = {},
  ): TransactItem {
    return {
      Update: {
        TableName: metersTable(),
        Key: { a: accountId },
        UpdateExpression: `${action} wh :ids REMOVE #last`,
        ConditionExpression: condition,
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':ids': new Set([id]), ...values },
      },
    };
  }

  return {
    async list(accountId) {
      const found = (await readPrefix(client, table, accountPartition(accountId), webhookPrefix)).map(webhookOf);
      return found.toSorted((one, other) => other.createdAt - one.createdAt || one.id.localeCompare(other.id));
    },
    async find(ref) {
      const item = await readItem(client, table, webhookKey(ref));
      return item && webhookOf(item);
    },
    create(webhook) {
      const isRoom = 'attribute_exists(a) AND (attribute_not_exists(wh) OR size(wh) < :max)';
      const naming = named(webhook, 'ADD', isRoom, { ':max': limits.webhooks });
      return commit(client, [naming, putNew(table, webhookRow(webhook))]);
    },
    async change(after) {
      const set = changeable.filter((field) => after[field] !== undefined);
      const removed = changeable.filter((field) => after[field] === undefined);
      const asleep = after.status === 'disabled' ? ['p', '#due'] : [];
      const update = new UpdateCommand({
        TableName: table,
        Key: webhookKey(after),
        UpdateExpression: [
          `SET ${set.map((field) => `#${field} = :${field}`).join(', ')}, failures = :none`,
          `REMOVE ${['failingSince', 'pausedUntil', 'isSlow', ...removed.map((field) => `#${field}`), ...asleep].join(', ')}`,
        ].join(' '),
        ConditionExpression: '#revision = :before',
        ExpressionAttributeNames: {
          ...Object.fromEntries(changeable.map((field) => [`#${field}`, field])),
          ...(asleep.length > 0 && { '#due': 'due' }),
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(set.map((field) => [`:${field}`, after[field]])),
          ':before': after.revision - 1,
          ':none': 0,
        },
      });
      return 'done' in (await conditionally(client.send(update)));
    },
    remove(webhook, now) {
      const ttl = seconds(now + 2 * retentionMs);
      return commit(client, [
        named(webhook, 'DELETE', 'attribute_exists(a)'),
        { Delete: { TableName: table, Key: webhookKey(webhook), ConditionExpression: 'attribute_exists(pk)' } },
        { Put: { TableName: table, Item: { ...deletedKey(webhook), ttl } } },
      ]);
    },
  };
}

/** Deletes the webhooks of an account and all their deliveries, including those of webhooks deleted earlier. */
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
