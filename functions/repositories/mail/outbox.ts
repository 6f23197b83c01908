import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mailRetentionDays } from '#contract/operators/mails.ts';
import type { MailOutcome, OutboxStore } from '#domain/mail/outbox.ts';
import { mailKey, mailOf, seconds } from '../accounts/account-items.ts';
import { readItem } from '../shared/read-item.ts';

const keptSeconds = mailRetentionDays * 86_400;

export function outboxStore(client: DynamoDBDocumentClient, table: string): OutboxStore {
  async function waiting(id: string) {
    const row = await readItem(client, table, mailKey(id));
    return row?.['outbox'] === undefined ? undefined : mailOf(row);
  }

  /** The mail's text goes with it: links in it are secrets. What became of it can be listed for a while. */
  async function close(id: string, outcome: MailOutcome, at: number): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: mailKey(id),
        UpdateExpression: 'SET outcome = :outcome, closedAt = :at, #ttl = :ttl REMOVE outbox, #text, html',
        ExpressionAttributeNames: { '#text': 'text', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':outcome': outcome, ':at': at, ':ttl': seconds(at) + keptSeconds },
      }),
    );
  }

  return { waiting, close };
}
