import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { SessionStore } from '#domain/accounts/sign-in/session-store.ts';
import { conditionally } from '../shared/conditional.ts';
import { sessionKey, storedInstant } from './account-items.ts';
import { digestRows } from './digest-rows.ts';

/** Older rows have no origin. */
const name = v.optional(v.nullable(v.string()), null);

const Row = v.object({
  digest: v.string(),
  browser: name,
  system: name,
  country: name,
  isLocal: v.optional(v.boolean(), false),
  createdAt: storedInstant,
  lastSeenAt: storedInstant,
  expiresAt: storedInstant,
  sessionsValidFrom: v.optional(v.number(), 0),
});

export function sessionStore(client: DynamoDBDocumentClient, table: string): SessionStore {
  async function touch(accountId: number, digest: string, now: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: table,
      Key: sessionKey(accountId, digest),
      UpdateExpression: 'SET lastSeenAt = :now',
      ConditionExpression: 'lastSeenAt < :now',
      ExpressionAttributeValues: { ':now': now },
    });
    await conditionally(client.send(write));
  }

  return { ...digestRows(client, table, sessionKey, Row), touch };
}
