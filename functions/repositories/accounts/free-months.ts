import { createHash } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Account } from '#domain/accounts/account.ts';
import { readItem } from '../shared/read-item.ts';

const Row = v.object({ from: v.number() });

type Granted = Pick<Account, 'email' | 'identities'>;

/** Keys by address and by identity. Hashed, because the rows outlive the account. */
function keysOf({ email, identities = [] }: Granted) {
  return [`email#${email}`, ...identities.map((identity) => `identity#${identity}`)].map((subject) => ({
    pk: `free#${createHash('sha256').update(subject).digest('base64url').slice(0, 22)}`,
    sk: 'month',
  }));
}

/** Returns the latest time, in epoch seconds, from which a free month is available. */
export async function freeFrom(client: DynamoDBDocumentClient, table: string, account: Account) {
  const rows = await Promise.all(keysOf(account).map((key) => readItem(client, table, key)));
  const moments = rows.flatMap((row) => (row ? [v.parse(Row, row).from] : []));
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

export function freeMonthsFrom(table: string, account: Granted, from: number) {
  return keysOf(account).map((key) => ({ Put: { TableName: table, Item: { ...key, from, ttl: from } } }));
}

/** Like `freeMonthsFrom`, but fails if a later time is stored, because a deletion may have come first. */
export function freeMonthsBegun(table: string, account: Account, from: number) {
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR #from <= :from',
    ExpressionAttributeNames: { '#from': 'from' },
    ExpressionAttributeValues: { ':from': from },
  };
  return freeMonthsFrom(table, account, from).map(({ Put }) => ({ Put: { ...Put, ...condition } }));
}
