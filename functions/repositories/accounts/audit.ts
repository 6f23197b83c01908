import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditStore } from '#domain/accounts/operators.ts';
import { conditionally } from '../shared/conditional.ts';
import { auditKey } from './account-items.ts';

/** One audit event per request: a row that is already there is this one, written by an attempt whose response was lost. */
export function auditStore(client: DynamoDBDocumentClient, table: string): AuditStore {
  return {
    async append({ accountId, action, ...event }) {
      const Item = { ...auditKey(accountId, event.at, event.requestId), act: action, ...event };
      const write = new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' });
      await conditionally(client.send(write));
    },
  };
}
