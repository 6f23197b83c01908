import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { serviceNames } from '#contract/billing/prices.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { rolesByAccess } from '#contract/organizations/roles.ts';
import { limitPeriods } from '#contract/shared/limits.ts';
import type { KeyCreators } from '#domain/billing/statements.ts';
import type { KeyRecord, KeyStore, KeyWrite, KeyWriteOptions, StoredKey } from '#domain/keys/key.ts';
import type { KeyNames } from '#domain/requests/request-log.ts';
import { apiKeyKey, mailItems, memberKey, storedInstant } from '../accounts/account-items.ts';
import { refuseFormerOperator, withEvent } from '../operators/audited-writes.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem, readItems, readPrefix, readable } from '../shared/read-items.ts';
import { cancellationReasons, conditionFailed, failedConditions, type TransactItem } from '../shared/transaction.ts';
import { expiredIn, type KeyListChange, keyListUpdate, usableKeys, usableKeysRow, workingKeys } from './key-lists.ts';

const changeable = [
  'name',
  'status',
  'suspendedByOperator',
  'expiresAt',
  'limit',
  'budget',
  'models',
  'services',
  'contentDays',
  'revision',
] as const satisfies readonly (keyof KeyRecord)[];

/** `auditTable` is read only when an operator changes a key. */
export function keyStore(
  client: DynamoDBDocumentClient,
  accountsTable: string,
  metersTable: string,
  auditTable: () => string,
): KeyStore {
  const auditTables = () => ({ accounts: accountsTable, audit: auditTable() });

  async function list(accountId: number): Promise<StoredKey[]> {
    const { pk, sk } = apiKeyKey(accountId, '');
    return (await readPrefix(client, accountsTable, pk, sk)).map(storedKeyOf);
  }

  async function find(accountId: number, id: string): Promise<StoredKey | undefined> {
    const Key = apiKeyKey(accountId, id);
    const row = await readItem(client, accountsTable, Key);
    return row && storedKeyOf(row);
  }

  const noticeItems = (accountId: number, { notice, now }: KeyWriteOptions): TransactItem[] =>
    notice ? mailItems(accountsTable, accountId, notice, now) : [];

  function create(accountId: number, record: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite> {
    const records = [...recordCreation(accountId, record), ...noticeItems(accountId, options)];
    return write(accountId, records, { changed: [record], revoked: [], ...options });
  }

  function change(accountId: number, after: KeyRecord, { event, ...options }: KeyWriteOptions): Promise<KeyWrite> {
    const changes = { changed: [after], revoked: [], ...options };
    return write(accountId, [recordChange(accountId, after)], changes, event);
  }

  function rotate(accountId: number, old: KeyRecord, fresh: KeyRecord, options: KeyWriteOptions): Promise<KeyWrite> {
    const changed = [recordChange(accountId, old), ...recordCreation(accountId, fresh)];
    const records = [...changed, ...noticeItems(accountId, options)];
    return write(accountId, records, { changed: [old, fresh], revoked: [], ...options });
  }

  /** If the limit is reached, retries once with the expired keys removed. */
  async function write(
    accountId: number,
    records: TransactItem[],
    change: KeyListChange,
    event?: AuditEvent,
  ): Promise<KeyWrite> {
    const lists = [workingKeys(metersTable, accountId), usableKeys(accountsTable, accountId)];
    let expired: string[][] = [[], []];
    let isCounted = false;
    for (;;) {
      const changes = lists.map((list, index) => keyListUpdate(list, change, expired[index] ?? []));
      const items = [...changes, ...records];
      const reasons = await refusal(event ? withEvent(auditTables(), event, items) : items);
      if (!reasons) return 'done';
      if (event) refuseFormerOperator(event, reasons);
      if (!isCounted && isMissing(reasons[1])) {
        await countUsable(accountId, change.now);
        isCounted = true;
        continue;
      }
      const isFull = lists.map((_, index) => reasons[index]?.Code === conditionFailed);
      const full = lists.find((_, index) => isFull[index]);
      if (!full) return 'changed meanwhile';
      const before = expired;
      expired = before.map((ids, index) => (isFull[index] ? expiredIn(reasons[index]?.Item, change) : ids));
      if (expired.join('|') === before.join('|')) return full.fullResult;
    }
  }

  async function refusal(items: TransactItem[]) {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: items }));
      return undefined;
    } catch (error) {
      const reasons = cancellationReasons(error);
      if (failedConditions(error).length === 0 && !isMissing(reasons[1])) throw error;
      return reasons;
    }
  }

  /** No key is written before this item exists, so the list is complete. */
  async function countUsable(accountId: number, now: number): Promise<void> {
    const Item = usableKeysRow(accountId, await list(accountId), now);
    const put = new PutCommand({ TableName: accountsTable, Item, ConditionExpression: 'attribute_not_exists(pk)' });
    await conditionally(client.send(put));
  }

  function recordCreation(accountId: number, record: KeyRecord): TransactItem[] {
    const Item = { ...apiKeyKey(accountId, record.id), ...record };
    const put = { Put: { TableName: accountsTable, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
    const { createdBy = accountId } = record;
    return createdBy === accountId ? [put] : [put, creatorCheck(accountId, createdBy)];
  }

  /** An update without changes. Fails if the member has been removed, so that the keys to revoke are complete. */
  function creatorCheck(accountId: number, userId: number): TransactItem {
    const roles = rolesByAccess.develop.map((role, index) => [`:r${index}`, role] as const);
    return {
      Update: {
        TableName: accountsTable,
        Key: memberKey(accountId, userId),
        UpdateExpression: 'SET userId = :user',
        ConditionExpression: `#role IN (${roles.map(([name]) => name).join(', ')})`,
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: { ':user': userId, ...Object.fromEntries(roles) },
      },
    };
  }

  /** Excludes `lastUsedAt`, which the ledger projector writes. */
  function recordChange(accountId: number, after: KeyRecord): TransactItem {
    const set = changeable.filter((field) => after[field] !== undefined);
    const removed = changeable.filter((field) => after[field] === undefined);
    const removal = removed.length > 0 ? ` REMOVE ${removed.map((field) => `#${field}`).join(', ')}` : '';
    return {
      Update: {
        TableName: accountsTable,
        Key: apiKeyKey(accountId, after.id),
        UpdateExpression: `SET ${set.map((field) => `#${field} = :${field}`).join(', ')}${removal}`,
        ConditionExpression: '#revision = :before',
        ExpressionAttributeNames: Object.fromEntries(changeable.map((field) => [`#${field}`, field])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(set.map((field) => [`:${field}`, after[field]])),
          ':before': after.revision - 1,
        },
      },
    };
  }

  async function revokeUnreadable(
    accountId: number,
    id: string,
    { event, ...options }: KeyWriteOptions,
  ): Promise<void> {
    const record = {
      TableName: accountsTable,
      Key: apiKeyKey(accountId, id),
      UpdateExpression: 'SET #status = :revoked',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':revoked': 'revoked' },
    };
    const outcome = await write(accountId, [{ Update: record }], { changed: [], revoked: [id], ...options }, event);
    if (outcome !== 'done') throw new Error('the key to be revoked is not there');
  }

  async function remove(accountId: number, { id, revision }: StoredKey): Promise<void> {
    const isAsRead =
      revision === undefined
        ? { ConditionExpression: '#status = :revoked', ExpressionAttributeNames: { '#status': 'status' } }
        : { ConditionExpression: 'revision = :revision' };
    const deletion = new DeleteCommand({
      TableName: accountsTable,
      Key: apiKeyKey(accountId, id),
      ...isAsRead,
      ExpressionAttributeValues: revision === undefined ? { ':revoked': 'revoked' } : { ':revision': revision },
    });
    await conditionally(client.send(deletion));
  }

  return { list, find, create, change, remove, revokeUnreadable, rotate };
}

/** ValidationError comes from local AWS emulators, which check the update before its condition. */
function isMissing(reason: ReturnType<typeof cancellationReasons>[number] | undefined): boolean {
  return reason?.Code === 'ValidationError' || (reason?.Code === conditionFailed && !reason.Item);
}

const Row = v.object({
  id: v.string(),
  name: v.string(),
  prefix: v.string(),
  lastFour: v.string(),
  status: v.picklist(['active', 'suspended', 'revoked']),
  createdAt: storedInstant,
  createdBy: v.exactOptional(v.number()),
  suspendedByOperator: v.exactOptional(v.literal(true)),
  expiresAt: v.exactOptional(storedInstant),
  lastUsedAt: v.exactOptional(storedInstant),
  limit: v.exactOptional(v.object({ credits: v.number(), period: v.picklist(limitPeriods) })),
  budget: v.exactOptional(v.string()),
  models: v.exactOptional(v.array(v.string())),
  services: v.exactOptional(v.array(v.picklist(serviceNames))),
  contentDays: v.exactOptional(v.number()),
  revision: v.number(),
});

/** Readable fields of an invalid row. The sort key is always readable. */
const text = v.fallback(v.string(), '');
const instant = v.fallback(v.optional(storedInstant), undefined);
const UnreadableRow = v.object({
  sk: v.string(),
  name: text,
  prefix: text,
  lastFour: text,
  status: v.fallback(v.picklist(['revoked', 'unreadable']), 'unreadable'),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: instant,
});

/** Parses a stored key, reading as many fields of an invalid row as possible. */
export function storedKeyOf(item: unknown): StoredKey {
  const { success, output } = v.safeParse(Row, item);
  if (success) return output;
  const { sk, createdAt, expiresAt, lastUsedAt, ...remains } = v.parse(UnreadableRow, item);
  return {
    ...remains,
    id: sk.slice(apiKeyKey(0, '').sk.length),
    ...(createdAt !== undefined && { createdAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    revision: undefined,
  };
}

const Named = v.object({
  sk: v.string(),
  name: v.fallback(v.string(), ''),
  createdBy: v.fallback(v.optional(v.number()), undefined),
});

/** Reads each key once. Without ids it reads nothing. */
async function namedKeys(client: DynamoDBDocumentClient, table: string, accountId: number, ids: readonly string[]) {
  const keys = ids.map((id) => apiKeyKey(accountId, id));
  const items = await readItems(client, table, keys, ['sk', 'name', 'createdBy']);
  const prefix = apiKeyKey(accountId, '').sk.length;
  return readable(Named, items).map(({ sk, ...key }) => ({ id: sk.slice(prefix), ...key }));
}

export const keyNames =
  (client: DynamoDBDocumentClient, table: string): KeyNames =>
  async (accountId, ids) =>
    new Map((await namedKeys(client, table, accountId, ids)).map(({ id, name }) => [id, name]));

/** The account's own person created the keys from before organizations. */
export const keyCreators =
  (client: DynamoDBDocumentClient, table: string): KeyCreators =>
  async (accountId, ids) =>
    new Map((await namedKeys(client, table, accountId, ids)).map(({ id, createdBy = accountId }) => [id, createdBy]));
