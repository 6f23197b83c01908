import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { AccountDeletionStore, DeletedAccount } from '#domain/accounts/account.ts';
import { deleteKeys, deletePartition } from '../shared/deletion.ts';
import { readable } from '../shared/readable.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import { identityKey, mailItems, purgeKey, uniqueEmailKey, uniqueRow, userKey } from './account-items.ts';
import { freeMonthsFrom } from './free-months.ts';

const Closed = v.object({ accountId: v.number(), purgeAt: v.number() });

export function accountDeletionStore(
  client: DynamoDBDocumentClient,
  table: string,
  metersTable: string,
  purgeOthers: (accountId: number, signal?: AbortSignal) => Promise<void>,
  onPurged: (accountId: number) => Promise<void>,
): AccountDeletionStore {
  const remove: AccountDeletionStore['remove'] = async (account, { purgeAt, freeFrom }, notice, now) => {
    const freed = [uniqueEmailKey(account.email), ...(account.identities ?? []).map(identityKey)];
    await commit(client, [
      openUserUpdate(table, account.id, 'SET deletedAt = :now, sessionsValidFrom = :now', { now }),
      meterClosing(metersTable, account.id, 'deleted'),
      ...freed.map((Key) => ({ Delete: { TableName: table, Key } })),
      putNew(table, { ...uniqueRow(purgeKey(account.id, purgeAt), account.id), purgeAt }),
      ...(notice ? mailItems(table, account.id, notice, now) : []),
      ...(freeFrom === undefined ? [] : freeMonthsFrom(table, account, freeFrom)),
    ]);
  };

  async function* toBePurged(now: number): AsyncGenerator<DeletedAccount> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :purge AND sk <= :now',
      ExpressionAttributeValues: { ':purge': 'purge', ':now': `${String(now).padStart(15, '0')}~` },
    };
    for await (const { Items = [] } of paginateQuery({ client }, query)) yield* readable(Closed, Items);
  }

  /** The purge item is deleted last, so that an interrupted purge is resumed. */
  async function purge({ accountId, purgeAt }: DeletedAccount, signal?: AbortSignal): Promise<void> {
    await purgeOthers(accountId, signal);
    await deletePartition(client, table, userKey(accountId).pk, signal);
    await client.send(new DeleteCommand({ TableName: metersTable, Key: { a: accountId } }));
    await onPurged(accountId);
    await deleteKeys(client, table, [purgeKey(accountId, purgeAt)]);
  }

  return { remove, toBePurged, purge };
}

export function openUserUpdate(
  table: string,
  accountId: number,
  UpdateExpression: string,
  { now, condition }: { readonly now?: number; readonly condition?: string } = {},
): TransactItem {
  const isOpen = ['attribute_exists(pk)', 'attribute_not_exists(deletedAt)', ...(condition ? [condition] : [])];
  return {
    Update: {
      TableName: table,
      Key: userKey(accountId),
      UpdateExpression,
      ConditionExpression: isOpen.join(' AND '),
      ...(now !== undefined && { ExpressionAttributeValues: { ':now': now } }),
    },
  };
}

export function meterClosing(
  metersTable: string,
  accountId: number,
  closed: 'suspended' | 'deleted' | undefined,
): TransactItem {
  const update = closed
    ? { UpdateExpression: 'SET x = :closed REMOVE #last', ExpressionAttributeValues: { ':closed': closed } }
    : { UpdateExpression: 'REMOVE x, #last' };
  const ExpressionAttributeNames = { '#last': 'last' };
  return { Update: { TableName: metersTable, Key: { a: accountId }, ...update, ExpressionAttributeNames } };
}
