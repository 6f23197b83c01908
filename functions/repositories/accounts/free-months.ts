import { createHash } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { Account } from '#domain/accounts/account.ts';
import { readItem } from '../shared/read-item.ts';

const Row = v.object({ from: v.number() });

type Granted = Pick<Account, 'email' | 'identities'>;

/** Whom a free month is granted to: an address and each identity. Hashed, as the account they were of is deleted. */
function keysOf({ email, identities = [] }: Granted) {
  return [`email#${email}`, ...identities.map((identity) => `identity#${identity}`)].map((subject) => ({
    pk: `free#${createHash('sha256').update(subject).digest('base64url').slice(0, 22)}`,
    sk: 'month',
  }));
}

/** The latest moment from which one of them may have a free month, epoch seconds. */
export async function freeFrom(client: DynamoDBDocumentClient, table: string, account: Account) {
  const rows = await Promise.all(keysOf(account).map((key) => readItem(client, table, key)));
  const moments = rows.flatMap((row) => (row ? [v.parse(Row, row).from] : []));
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

/** Notes when the next free month may begin. */
export function freeMonthsFrom(table: string, account: Granted, from: number) {
  return keysOf(account).map((key) => ({ Put: { TableName: table, Item: { ...key, from, ttl: from } } }));
}

/** As `freeMonthsFrom`, on the condition that what is noted comes no later: a deletion may have come in between. */
export function freeMonthsBegun(table: string, account: Account, from: number) {
  const condition = {
    ConditionExpression: 'attribute_not_exists(pk) OR #from <= :from',
    ExpressionAttributeNames: { '#from': 'from' },
    ExpressionAttributeValues: { ':from': from },
  };
  return freeMonthsFrom(table, account, from).map(({ Put }) => ({ Put: { ...Put, ...condition } }));
}
