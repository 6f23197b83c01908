import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { SuppressionStore } from '#domain/mail/suppression.ts';
import { storedInstant, suppressionKey } from '../accounts/account-items.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-item.ts';

const Row = v.object({ reason: v.picklist(['bounce', 'complaint']), suppressedAt: storedInstant });

/** One item per address, without expiry: whoever is sure that it works again deletes it, here and in SES's own list. */
export function suppressionStore(client: DynamoDBDocumentClient, table: string): SuppressionStore {
  return {
    async add(address, reason, at) {
      const write = new PutCommand({
        TableName: table,
        Item: { ...suppressionKey(address), reason, suppressedAt: at },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return 'done' in (await conditionally(client.send(write)));
    },
    async has(address) {
      return (await readItem(client, table, suppressionKey(address))) !== undefined;
    },
    async find(address) {
      const item = await readItem(client, table, suppressionKey(address));
      if (!item) return undefined;
      const { reason, suppressedAt } = v.parse(Row, item);
      return { reason, at: suppressedAt };
    },
  };
}
