import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { LedgerRow, LedgerStore } from '#domain/ledger.ts';
import { apiKeyKey } from './account-items.ts';
import { conditionally } from './conditional.ts';

/** Sort keys order as `seq` does. */
const rowKey = (seq: number) => `row#${String(seq).padStart(16, '0')}`;

export function ledgerStore(client: DynamoDBDocumentClient, ledgerTable: string, accountsTable: string): LedgerStore {
  async function append({ accountId, seq, ...row }: LedgerRow): Promise<void> {
    const Item = { a: accountId, sk: rowKey(seq), seq, ...row };
    const isNew = 'attribute_not_exists(a)';
    await conditionally(client.send(new PutCommand({ TableName: ledgerTable, Item, ConditionExpression: isNew })));
  }

  async function markKeyUsed(accountId: number, keyId: string, at: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: accountsTable,
      Key: apiKeyKey(accountId, keyId),
      UpdateExpression: 'SET lastUsedAt = :at',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(lastUsedAt) OR lastUsedAt < :at)',
      ExpressionAttributeValues: { ':at': at },
    });
    await conditionally(client.send(write));
  }

  return { append, markKeyUsed };
}
