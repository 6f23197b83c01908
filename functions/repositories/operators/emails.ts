import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { EmailsOf } from '#domain/operators/audit-trail.ts';
import { userKey } from '../accounts/account-items.ts';
import { readItems } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';

const User = v.object({ id: v.number(), email: v.string() });

export function emailsOf(client: DynamoDBDocumentClient, table: string): EmailsOf {
  return async (accountIds) => {
    const users = await readItems(client, table, accountIds.map(userKey), ['id', 'email']);
    return new Map(readable(User, users).map(({ id, email }) => [id, email]));
  };
}
