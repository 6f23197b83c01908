import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { DeviceStore } from '#domain/accounts/device-store.ts';
import { deviceKey, storedInstant } from './account-items.ts';
import { digestRows } from './digest-rows.ts';

const Row = v.object({
  digest: v.string(),
  createdAt: storedInstant,
  expiresAt: storedInstant,
  sessionsValidFrom: v.number(),
});

export function deviceStore(client: DynamoDBDocumentClient, table: string): DeviceStore {
  return digestRows(client, table, deviceKey, Row);
}
