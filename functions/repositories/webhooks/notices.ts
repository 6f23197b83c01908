import { limits } from '#contract/shared/limits.ts';
import { retentionMs } from '#domain/webhooks/delivery.ts';
import { seconds } from '../accounts/account-items.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { accountPartition } from './webhook-items.ts';

/** Fails where the mails of the day (UTC) to an account are used up: webhooks can be enabled and created in a loop. */
export function noticeItem(table: string, accountId: number, now: number): TransactItem {
  const date = new Date(now).toISOString().slice(0, 10);
  return {
    Update: {
      TableName: table,
      Key: { pk: accountPartition(accountId), sk: `notices#${date}` },
      UpdateExpression: 'SET #ttl = :ttl ADD mails :one',
      ConditionExpression: 'attribute_not_exists(mails) OR mails < :max',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':max': limits.webhooks, ':ttl': seconds(now + retentionMs) },
    },
  };
}
