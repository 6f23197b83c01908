import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditEvent } from '#domain/shared/audit-event.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { userKey } from '../accounts/account-items.ts';
import {
  cancellationReasons,
  conditionFailed,
  failedConditions,
  putNew,
  type TransactItem,
} from '../shared/transaction.ts';

export interface AuditTables {
  readonly accounts: string;
  readonly audit: string;
}

/** Partitions of the `audit` table: an event has a row in that of its account, and one in that of all. */
export const auditPartition = (accountId: number | undefined): string =>
  accountId === undefined ? 'all' : `account#${accountId}`;

/** Orders events by time; a request has one. */
const sortKey = ({ at, requestId }: AuditEvent): string => `${String(at).padStart(15, '0')}#${requestId}`;

/**
 * Writes the items and, after them, the rows of their event, which are never changed; last comes the demand that whoever
 * acts is an operator still, as the role may have been taken back since the request was authorized.
 */
export function withEvent(tables: AuditTables, event: AuditEvent, items: readonly TransactItem[]): TransactItem[] {
  const partitions = [auditPartition(event.accountId), auditPartition(undefined)];
  const rows = partitions.map((pk) => putNew(tables.audit, { pk, sk: sortKey(event), ...event }));
  return [...items, ...rows, ...(event.by === undefined ? [] : [operatorDemand(tables.accounts, event.by)])];
}

/** An update that changes nothing, for which the rights to write are enough: a `ConditionCheck` takes one of its own. */
function operatorDemand(TableName: string, accountId: number): TransactItem {
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

/** Given the reasons of a transaction of `withEvent` that was cancelled. */
export function refuseFormerOperator({ by }: AuditEvent, reasons: readonly CancellationReason[]): void {
  if (by !== undefined && reasons.at(-1)?.Code === conditionFailed)
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', 'Only an operator may do this.');
}

/**
 * Writes the items and their event, all or nothing. False when a condition of the items failed; true also where the event
 * is there already: then an earlier try of the same request, whose reply was lost, has written all.
 */
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
