import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { MailOutcome, OutboxStore } from '#domain/outbox.ts';
import { mailKey, mailOf } from './account-items.ts';

export function outboxStore(client: DynamoDBDocumentClient, table: string): OutboxStore {
  async function waiting(id: string) {
    const { Item } = await client.send(new GetCommand({ TableName: table, Key: mailKey(id), ConsistentRead: true }));
    return Item?.['outbox'] === undefined ? undefined : mailOf(Item);
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
