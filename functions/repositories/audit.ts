import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditStore } from '#domain/operators.ts';
import { auditKey } from './account-items.ts';
import { conditionally } from './conditional.ts';

/** Acts of one operator in the same millisecond take the next free one, so that no row is ever overwritten. */
export function auditStore(client: DynamoDBDocumentClient, table: string): AuditStore {
  return {
    async append({ accountId, ...act }) {
      for (let at = act.at; ; at++) {
        const Item = { ...auditKey(accountId, at, act.by), ...act };
        const write = new PutCommand({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' });
        if ('done' in (await conditionally(client.send(write)))) return;
      }
    },
  };
}
