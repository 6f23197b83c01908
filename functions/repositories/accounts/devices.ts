import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { DeviceStore } from '#domain/accounts/sign-in/device-store.ts';
import { conditionally } from '../shared/conditional.ts';
import { deviceKey, storedInstant } from './account-items.ts';
import { digestRows } from './digest-rows.ts';

const Row = v.object({
  digest: v.string(),
  createdAt: storedInstant,
  expiresAt: storedInstant,
  lastUsedAt: v.exactOptional(storedInstant),
  sessionsValidFrom: v.number(),
});

export function deviceStore(client: DynamoDBDocumentClient, table: string): DeviceStore {
  async function use(accountId: number, digest: string, now: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: table,
      Key: deviceKey(accountId, digest),
      UpdateExpression: 'SET lastUsedAt = :now',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':now': now },
    });
    await conditionally(client.send(write));
  }

  return { ...digestRows(client, table, deviceKey, Row), use };
}
