import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AlertStore } from '#domain/alerts/alerts.ts';
import { conditionally } from '../shared/conditional.ts';
import { alertsRow } from './meter-item.ts';

/** Alert rules are in the account's meter, so that the ledger projector receives them with every charge. */
export function alertStore(client: DynamoDBDocumentClient, tableName: string): AlertStore {
  return {
    async set(accountId, alerts) {
      const write = new UpdateCommand({
        TableName: tableName,
        Key: { a: accountId },
        UpdateExpression: 'SET al = :alerts REMOVE #last',
        ConditionExpression: 'attribute_exists(a)',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':alerts': alertsRow(alerts) },
      });
      return 'done' in (await conditionally(client.send(write)));
    },
  };
}
