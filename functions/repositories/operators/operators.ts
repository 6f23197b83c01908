import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AuditAction, AuditedState, type AuditEvent } from '#contract/operators/operators.ts';
import type { AuditReads, EmailsOf, OperatorStore } from '#domain/operators/operator-actions.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { storedInstant, userKey } from '../accounts/account-items.ts';
import { meterClosing, openUserUpdate } from '../accounts/accounts.ts';
import { meterReplacement } from '../meter/meters.ts';
import { readItems } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';
import {
  cancellationReasons,
  conditionFailed,
  failedConditions,
  putNew,
  type TransactItem,
} from '../shared/transaction.ts';

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

export interface AuditTables {
  readonly accounts: string;
  readonly audit: string;
}

/** Partitions of the `audit` table. Each event has a row in its account's partition and one in `all`. */
const auditPartition = (accountId: number | undefined): string =>
  accountId === undefined ? 'all' : `account#${accountId}`;

/** Orders events by time. A request has at most one event. */
const sortKey = ({ at, requestId }: AuditEvent): string => `${String(at).padStart(15, '0')}#${requestId}`;

/** Adds the event's rows and a check that the actor is still an operator, because the role may have been revoked. */
export function withEvent(tables: AuditTables, event: AuditEvent, items: readonly TransactItem[]): TransactItem[] {
  const partitions = [auditPartition(event.accountId), auditPartition(undefined)];
  const rows = partitions.map((pk) => putNew(tables.audit, { pk, sk: sortKey(event), ...event }));
  return [...items, ...rows, ...(event.by === undefined ? [] : [operatorCheck(tables.accounts, event.by)])];
}

/** An update without changes: a `ConditionCheck` would require an additional IAM permission. */
function operatorCheck(TableName: string, accountId: number): TransactItem {
  return {
    Update: {
      TableName,
      Key: userKey(accountId),
      UpdateExpression: 'SET #role = :operator',
      ConditionExpression:
        '#role = :operator AND attribute_not_exists(suspendedAt) AND attribute_not_exists(deletedAt)',
      ExpressionAttributeNames: { '#role': 'role' },
      ExpressionAttributeValues: { ':operator': 'operator' },
    },
  };
}

export function refuseFormerOperator({ by }: AuditEvent, reasons: readonly CancellationReason[]): void {
  if (by !== undefined && reasons.at(-1)?.Code === conditionFailed)
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', 'Only an operator may do this.');
}

/** Returns false if a condition failed, and true if an earlier attempt of the request wrote the event. */
export async function commitAudited(
  client: DynamoDBDocumentClient,
  tables: AuditTables,
  event: AuditEvent,
  items: readonly TransactItem[],
): Promise<boolean> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: withEvent(tables, event, items) }));
    return true;
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (reasons[items.length]?.Code === conditionFailed) return true;
    refuseFormerOperator(event, reasons);
    if (failedConditions(error).length > 0) return false;
    throw error;
  }
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
