import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AuditAction, AuditedState, type AuditEvent } from '#contract/operators/operators.ts';
import type { AuditReads, EmailsOf, OperatorStore } from '#domain/operators/operator-actions.ts';
import { storedInstant, userKey } from '../accounts/account-items.ts';
import { meterClosing, openUserUpdate } from '../accounts/accounts.ts';
import { meterReplacement } from '../meter/meters.ts';
import { readItems } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';
import { auditPartition, type AuditTables, commitAudited } from './audited-writes.ts';

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

const User = v.object({ id: v.number(), email: v.string() });

export function emailsOf(client: DynamoDBDocumentClient, table: string): EmailsOf {
  return async (accountIds) => {
    const users = await readItems(client, table, accountIds.map(userKey), ['id', 'email']);
    return new Map(readable(User, users).map(({ id, email }) => [id, email]));
  };
}

const Row = v.pipe(
  v.object({
    accountId: v.number(),
    action: AuditAction,
    by: v.exactOptional(v.number()),
    reason: v.string(),
    at: storedInstant,
    requestId: v.string(),
    before: AuditedState,
    after: AuditedState,
  }),
  v.transform((row): AuditEvent => row),
);
const SortKey = v.object({ sk: v.string() });

export function auditReads(client: DynamoDBDocumentClient, table: string): AuditReads {
  return {
    async page(accountId, limit, cursor) {
      const query = new QueryCommand({
        TableName: table,
        KeyConditionExpression: cursor === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :cursor',
        ExpressionAttributeValues: {
          ':pk': auditPartition(accountId),
          ...(cursor !== undefined && { ':cursor': cursor }),
        },
        ScanIndexForward: false,
        Limit: limit + 1,
        ConsistentRead: true,
      });
      const { Items = [] } = await client.send(query);
      const shown = Items.slice(0, limit);
      const next = Items.length > limit ? v.parse(SortKey, shown.at(-1)).sk : null;
      return { events: readable(Row, shown), next };
    },
  };
}
