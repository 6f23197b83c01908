import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/limits.ts';
import { isWorking, type KeyRecord, type StoredKey } from '#domain/keys/key-record.ts';
import type { KeyStore, KeyWrite } from '#domain/keys/key-store.ts';
import { apiKeyKey, userKey } from './account-items.ts';
import { conditionally } from './conditional.ts';
import { storedKeyOf } from './key-items.ts';
import { readItem } from './read-item.ts';
import { failedConditions, type TransactItem } from './transaction.ts';

/** What a meter keeps for a key without an expiry: the end of the year 9999, in epoch seconds. */
const never = 253_402_300_799;

export function keyStore(client: DynamoDBDocumentClient, accountsTable: string, metersTable: string): KeyStore {
  async function list(accountId: number): Promise<StoredKey[]> {
    const query = {
      TableName: accountsTable,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :keys)',
      ExpressionAttributeValues: { ':pk': userKey(accountId).pk, ':keys': apiKeyKey(accountId, '').sk },
      ConsistentRead: true,
    };
    const keys: StoredKey[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, query)) keys.push(...Items.map(storedKeyOf));
    return keys;
  }

  async function find(accountId: number, id: string): Promise<StoredKey | undefined> {
    const Key = apiKeyKey(accountId, id);
    const row = await readItem(client, accountsTable, Key);
    return row && storedKeyOf(row);
  }

  function create(accountId: number, record: KeyRecord, now: number): Promise<KeyWrite> {
    return write(accountId, now, [recordCreation(accountId, record)], [record]);
  }

  function change(accountId: number, after: KeyRecord, now: number): Promise<KeyWrite> {
    return write(accountId, now, [recordChange(accountId, after)], [after]);
  }

  function rotate(accountId: number, old: KeyRecord, fresh: KeyRecord, now: number): Promise<KeyWrite> {
    return write(accountId, now, [recordChange(accountId, old), recordCreation(accountId, fresh)], [old, fresh]);
  }

  /** Tries once without knowing the meter; when that is full, once more without the keys that have expired in it. */
  async function write(
    accountId: number,
    now: number,
    records: TransactItem[],
    changed: KeyRecord[],
  ): Promise<KeyWrite> {
    let expired: string[] = [];
    for (;;) {
      const meter = {
        Update: { TableName: metersTable, Key: { a: accountId }, ...meterChange(changed, expired, now) },
      };
      const { outcome, met } = await transact([...records, meter]);
      const found = expiredKeys(met, now, changed);
      if (outcome !== 'too many' || found.join() === expired.join()) return outcome;
      expired = found;
    }
  }

  async function transact(items: TransactItem[]): Promise<{ outcome: KeyWrite; met?: unknown }> {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: items }));
      return { outcome: 'done' };
    } catch (error) {
      const failed = failedConditions(error);
      if (failed.length === 0) throw error;
      const meter = failed.find(({ Item }) => Item?.['a'] !== undefined);
      if (!meter) return { outcome: 'changed meanwhile' };
      return { outcome: 'too many', met: meter.Item && unmarshall(meter.Item) };
    }
  }

  function recordCreation(accountId: number, record: KeyRecord): TransactItem {
    const Item = { ...apiKeyKey(accountId, record.id), ...record };
    return { Put: { TableName: accountsTable, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  }

  /** Leaves `lastUsedAt` alone, which the ledger projector writes. */
  function recordChange(accountId: number, after: KeyRecord): TransactItem {
    const forever = after.expiresAt === undefined;
    const byOperator = after.suspendedByOperator ? ', suspendedByOperator = :true' : '';
    return {
      Update: {
        TableName: accountsTable,
        Key: apiKeyKey(accountId, after.id),
        UpdateExpression: `SET #name = :name, #status = :status, revision = :next${byOperator}${forever ? ' REMOVE expiresAt' : ', expiresAt = :expiresAt'}`,
        ConditionExpression: 'revision = :before',
        ExpressionAttributeNames: { '#name': 'name', '#status': 'status' },
        ExpressionAttributeValues: {
          ':name': after.name,
          ':status': after.status,
          ':next': after.revision,
          ':before': after.revision - 1,
          ...(after.suspendedByOperator && { ':true': true }),
          ...(!forever && { ':expiresAt': after.expiresAt }),
        },
      },
    };
  }

  async function revokeUnreadable(accountId: number, id: string): Promise<void> {
    const record = {
      TableName: accountsTable,
      Key: apiKeyKey(accountId, id),
      UpdateExpression: 'SET #status = :revoked',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':revoked': 'revoked' },
    };
    const meter = { TableName: metersTable, Key: { a: accountId }, ...meterChange([], [id], 0) };
    await client.send(new TransactWriteCommand({ TransactItems: [{ Update: record }, { Update: meter }] }));
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

/**
 * Working keys are in the meter with their expiry, others are not in it at all; never more than the limit. What is
 * taken out makes room only where it is still there: of many writes that met the same expired keys, one takes them out.
 */
function meterChange(changed: KeyRecord[], expired: string[], now: number) {
  const working = changed.filter((record) => isWorking(record, now));
  const gone = [...changed.filter((record) => !isWorking(record, now)).map(({ id }) => id), ...expired];
  const names = [...working.map(({ id }) => id), ...gone];
  const name = (id: string) => `#k${names.indexOf(id)}`;
  const set = working.map(({ id }, index) => `k.${name(id)} = :expiry${index}`);
  const areThere = (ids: string[]) => ids.map((id) => `attribute_exists(k.${name(id)})`);
  const isRoom = ['size(k) < :room', ...areThere(gone)].join(' AND ');
  const isSame = areThere(working.map(({ id }) => id)).join(' AND ');
  return {
    UpdateExpression: [
      set.length > 0 ? `SET ${set.join(', ')}` : '',
      `REMOVE ${['#last', ...gone.map((id) => `k.${name(id)}`)].join(', ')}`,
    ].join(' '),
    ConditionExpression:
      working.length > 0 ? `attribute_exists(a) AND ((${isRoom}) OR (${isSame}))` : 'attribute_exists(a)',
    ExpressionAttributeNames: { '#last': 'last', ...Object.fromEntries(names.map((id) => [name(id), id])) },
    ...(working.length > 0 && {
      ExpressionAttributeValues: {
        ':room': limits.activeKeys + gone.length,
        ...Object.fromEntries(working.map(({ expiresAt }, index) => [`:expiry${index}`, inSeconds(expiresAt)])),
      },
    }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

function inSeconds(expiresAt: number | undefined): number {
  return expiresAt === undefined ? never : Math.ceil(expiresAt / 1000);
}

function expiredKeys(meter: unknown, now: number, changed: KeyRecord[]): string[] {
  const parsed = v.safeParse(v.object({ k: v.record(v.string(), v.number()) }), meter);
  if (!parsed.success) return [];
  const others = Object.entries(parsed.output.k).filter(([id]) => !changed.some((record) => record.id === id));
  return others.filter(([, expiresAt]) => expiresAt * 1000 <= now).map(([id]) => id);
}
