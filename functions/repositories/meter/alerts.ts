import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { alertChannels, alertKinds } from '#contract/alerts/alert-kinds.ts';
import type { AlertStore } from '#domain/alerts/alerts.ts';
import type { KeptAlerts, KeptRule } from '#domain/meter/meter.ts';
import { conditionally } from '../shared/conditional.ts';
import { count } from './count.ts';

/** The rules of alerts are in the account's meter, so that the ledger projector has them with every charge. */
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

/** The rules of alerts in a meter's item: r rules as kind, value, key, which is empty where a rule has none, and the key's family where that is another's; c channels. */
export const AlertsRow = v.object({
  r: v.array(v.tuple([v.picklist(alertKinds), count, v.string(), v.optional(v.string())])),
  c: v.array(v.picklist(alertChannels)),
});
type AlertsRow = v.InferOutput<typeof AlertsRow>;

function alertsRow({ rules, channels }: KeptAlerts): Record<string, unknown> {
  return { r: rules.map(ruleRow), c: channels };
}

function ruleRow(rule: KeptRule): unknown[] {
  const { kind, value, family } = rule;
  const keyId = kind === 'key_percent' ? (rule.keyId ?? '') : '';
  return [kind, value, keyId, ...(family === undefined ? [] : [family])];
}

export function alertsOf({ r, c }: AlertsRow): KeptAlerts {
  const rules = r.map(([kind, value, keyId, family]) => {
    return { kind, value, ...(keyId !== '' && { keyId }), ...(family !== undefined && { family }) };
  });
  return { rules, channels: c };
}
