import { type Delivery, retentionMs } from '#domain/webhooks/delivery.ts';
import { seconds } from '../accounts/account-items.ts';
import { putNew, type TransactItem } from '../shared/transaction.ts';
import { accountPartition } from './webhook-items.ts';

/** Events of an account in a day (UTC) that happen once: rules and limits can be changed in a loop, and one call can step over many. */
const maxPerDay = 100;

/** Writes that fail where something has happened to the account under this name, in a month at least, or too much in the day. */
export function onceItems(table: string, [delivery]: readonly Delivery[], name: string): TransactItem[] {
  if (!delivery) return [];
  const { webhook, createdAt } = delivery;
  const pk = accountPartition(webhook.accountId);
  const ttl = seconds(createdAt + 2 * retentionMs);
  const date = new Date(createdAt).toISOString().slice(0, 10);
  const counted: TransactItem = {
    Update: {
      TableName: table,
      Key: { pk, sk: `once#${date}` },
      UpdateExpression: 'SET #ttl = :ttl ADD events :one',
      ConditionExpression: 'attribute_not_exists(events) OR events < :max',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':max': maxPerDay, ':ttl': ttl },
    },
  };
  return [putNew(table, { pk, sk: `once#${name}`, ttl }), counted];
}
