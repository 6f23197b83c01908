import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AuditAction, AuditedState, type AuditEvent } from '#contract/operators/operators.ts';
import type { Account, AccountStore } from '#domain/accounts/account.ts';
import type { AuditReads, EmailsOf, OperatorStore } from '#domain/operators/operator-actions.ts';
import { memberKey, organizationKey, storedInstant, suppressionKeys, userKey } from '../accounts/account-items.ts';
import { meterClosing, openUserUpdate } from '../accounts/accounts.ts';
import { operatedOrganization, organizationUpdate } from '../accounts/organization-items.ts';
import { recipientsOf } from '../accounts/recipients.ts';
import { meterReplacement } from '../meter/meters.ts';
import { readable, readItem, readItems, sortKeyOf } from '../shared/read-items.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { auditPartition, type AuditTables, commitAudited } from './audited-writes.ts';

export interface OperatorTables extends AuditTables {
  readonly meters: string;
}

/** Returns the account, or a shared organization as one with the address of its oldest owner. */
export async function operatedAccount(
  client: DynamoDBDocumentClient,
  table: string,
  accounts: Pick<AccountStore, 'find'>,
  id: number,
): Promise<Account | undefined> {
  const account = await accounts.find(id);
  const row = account ? undefined : await readItem(client, table, organizationKey(id));
  if (!row) return account;
  const [owner] = await recipientsOf(client, table, id, 'bill');
  return operatedOrganization(row, owner?.email);
}

export function operatorStore(client: DynamoDBDocumentClient, tables: OperatorTables): OperatorStore {
  const { accounts } = tables;

  async function closing(accountId: number, now: number | undefined): Promise<TransactItem[]> {
    const condition = `attribute_${now === undefined ? 'exists' : 'not_exists'}(suspendedAt)`;
    const update = now === undefined ? 'REMOVE suspendedAt' : 'SET suspendedAt = :now, sessionsValidFrom = :now';
    const isShared = (await readItem(client, accounts, organizationKey(accountId))) !== undefined;
    const change =
      now === undefined ? { remove: ['suspendedAt'] } : { set: ['suspendedAt = :now'], values: { ':now': now } };
    const conditions = ['attribute_not_exists(deletedAt)', condition];
    return [
      isShared
        ? organizationUpdate(accounts, accountId, { ...change, conditions })
        : openUserUpdate(accounts, accountId, update, { ...(now !== undefined && { now }), condition }),
      meterClosing(tables.meters, accountId, now === undefined ? undefined : 'suspended'),
    ];
  }

  return {
    suspend: async (event) => commitAudited(client, tables, event, await closing(event.accountId, event.at)),
    resume: async (event) => commitAudited(client, tables, event, await closing(event.accountId, undefined)),
    isMember: async (accountId, userId) =>
      (await readItem(client, accounts, memberKey(accountId, userId))) !== undefined,
    replaceMeter(before, after, entries, event) {
      const Update = { TableName: tables.meters, ...meterReplacement(before, after, entries) };
      return commitAudited(client, tables, event, [{ Update }]);
    },
    note: (event) => commitAudited(client, tables, event, []),
    unblock: (address, event) =>
      commitAudited(
        client,
        tables,
        event,
        suppressionKeys(address).map((Key) => ({ Delete: { TableName: accounts, Key } })),
      ),
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
      const next = Items.length > limit ? sortKeyOf(shown.at(-1)) : null;
      return { events: readable(Row, shown), next };
    },
  };
}
