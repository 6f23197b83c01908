import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditEvent } from '#contract/operators/operators.ts';
import type { TermsStore } from '#domain/accounts/terms.ts';
import type { SetSecondFactor } from '#domain/organizations/organization.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { userKey } from '../accounts/account-items.ts';
import { organizationUpdate, roleUpdate } from '../accounts/organization-items.ts';
import { accountPartition } from '../shared/read-items.ts';
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

/** Partitions of the `audit` table. Each event has a row in its account's partition and one in `all`. */
export const auditPartition = (accountId: number | undefined): string =>
  accountId === undefined ? 'all' : accountPartition(accountId);

/** Orders events by time. A request has at most one event. */
const sortKey = ({ at, requestId }: AuditEvent): string => `${String(at).padStart(15, '0')}#${requestId}`;

/** Adds the event's rows and a check that an operator still has the role, because the role may have been revoked. */
export function withEvent(tables: AuditTables, event: AuditEvent, items: readonly TransactItem[]): TransactItem[] {
  const partitions = [auditPartition(event.accountId), auditPartition(undefined)];
  const { isMember, ...row } = event;
  const rows = partitions.map((pk) => putNew(tables.audit, { pk, sk: sortKey(event), ...row }));
  const isOperator = event.by !== undefined && !isMember;
  return [...items, ...rows, ...(isOperator ? [operatorCheck(tables.accounts, event.by)] : [])];
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

export function refuseFormerOperator({ by, isMember }: AuditEvent, reasons: readonly CancellationReason[]): void {
  if (by !== undefined && !isMember && reasons.at(-1)?.Code === conditionFailed)
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

/** Writes the event of an action that changes nothing. */
export const auditLog =
  (client: DynamoDBDocumentClient, table: () => string) =>
  async (event: AuditEvent): Promise<void> => {
    await commitAudited(client, { accounts: '', audit: table() }, event, []);
  };

export function secondFactorRules(client: DynamoDBDocumentClient, tables: AuditTables): SetSecondFactor {
  const isOpen = 'attribute_not_exists(deletedAt)';
  const isOff = 'attribute_not_exists(secondFactorRequiredAt)';
  return (at, actor, event) => {
    const change =
      at === undefined
        ? { remove: ['secondFactorRequiredAt'], conditions: [isOpen, `NOT ${isOff}`] }
        : { set: ['secondFactorRequiredAt = :at'], conditions: [isOpen, isOff], values: { ':at': at } };
    const { accountId: id } = event;
    const items = [organizationUpdate(tables.accounts, id, change), roleUpdate(tables.accounts, id, actor)];
    return commitAudited(client, tables, event, items);
  };
}

export function termsStore(client: DynamoDBDocumentClient, tables: AuditTables): TermsStore {
  return {
    accept(terms, event) {
      const Update = {
        TableName: tables.accounts,
        Key: userKey(event.accountId),
        UpdateExpression: 'SET terms = :terms',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
        ExpressionAttributeValues: { ':terms': terms },
      };
      return commitAudited(client, tables, event, [{ Update }]);
    },
  };
}
