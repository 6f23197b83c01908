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

/** Sets or removes the threshold of the automatic top-up, which is in the meter for the same reason. */
export function balanceWatch(client: DynamoDBDocumentClient, tableName: string) {
  return async (accountId: number, threshold: number | undefined): Promise<void> => {
    const change =
      threshold === undefined
        ? { UpdateExpression: 'REMOVE tu, #last' }
        : {
            UpdateExpression: 'SET tu = :threshold REMOVE #last',
            ExpressionAttributeValues: { ':threshold': threshold },
          };
    const write = new UpdateCommand({
      TableName: tableName,
      Key: { a: accountId },
      ConditionExpression: 'attribute_exists(a)',
      ExpressionAttributeNames: { '#last': 'last' },
      ...change,
    });
    await conditionally(client.send(write));
  };
}
