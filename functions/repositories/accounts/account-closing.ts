import type { TransactItem } from '../shared/transaction.ts';
import { userKey } from './account-items.ts';

/** Updates a user who is not deleted, if `condition` holds too. */
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

/** A meter that is closed admits nothing. */
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
