import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { MailOutcome, OutboxStore } from '#domain/mail/outbox.ts';
import { mailKey, mailOf } from '../accounts/account-items.ts';
import { readItem } from '../shared/read-item.ts';

export function outboxStore(client: DynamoDBDocumentClient, table: string): OutboxStore {
  async function waiting(id: string) {
    const row = await readItem(client, table, mailKey(id));
    return row?.['outbox'] === undefined ? undefined : mailOf(row);
  }

  /** The mail's text goes with it: links in it are secrets. */
  async function close(id: string, outcome: MailOutcome, at: number): Promise<void> {
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: mailKey(id),
        UpdateExpression: 'SET outcome = :outcome, closedAt = :at REMOVE outbox, #text, html',
        ExpressionAttributeNames: { '#text': 'text' },
        ExpressionAttributeValues: { ':outcome': outcome, ':at': at },
      }),
    );
  }

  return { waiting, close };
}
