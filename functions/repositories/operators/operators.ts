import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { OperatorStore } from '#domain/operators/operator-store.ts';
import { meterClosing, openUserUpdate } from '../accounts/account-closing.ts';
import { userKey } from '../accounts/account-items.ts';
import { meterReplacement } from '../meter/meters.ts';
import { type AuditTables, commitAudited } from './audited.ts';

export interface OperatorTables extends AuditTables {
  readonly meters: string;
}

export function operatorStore(client: DynamoDBDocumentClient, tables: OperatorTables): OperatorStore {
  return {
    suspend(event) {
      const { accountId, at: now } = event;
      const condition = 'attribute_not_exists(suspendedAt)';
      const update = 'SET suspendedAt = :now, sessionsValidFrom = :now';
      return commitAudited(client, tables, event, [
        openUserUpdate(tables.accounts, accountId, update, { now, condition }),
        meterClosing(tables.meters, accountId, 'suspended'),
      ]);
    },
    resume(event) {
      const { accountId } = event;
      const condition = 'attribute_exists(suspendedAt)';
      return commitAudited(client, tables, event, [
        openUserUpdate(tables.accounts, accountId, 'REMOVE suspendedAt', { condition }),
        meterClosing(tables.meters, accountId, undefined),
      ]);
    },
    replaceMeter(before, after, entries, event) {
      const Update = { TableName: tables.meters, ...meterReplacement(before, after, entries) };
      return commitAudited(client, tables, event, [{ Update }]);
    },
    setRole(account, role, event) {
      const Update = {
        TableName: tables.accounts,
        Key: userKey(account.id),
        UpdateExpression: 'SET #role = :role',
        ConditionExpression: '#role = :before',
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: { ':role': role, ':before': account.role },
      };
      return commitAudited(client, tables, event, [{ Update }]);
    },
  };
}
