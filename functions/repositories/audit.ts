import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditStore } from '#domain/operators.ts';
import { auditKey } from './account-items.ts';

export function auditStore(client: DynamoDBDocumentClient, table: string): AuditStore {
  return {
    async append({ accountId, ...act }) {
      const Item = { ...auditKey(accountId, act.at, act.by), ...act };
      await client.send(new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' }));
    },
  };
}
