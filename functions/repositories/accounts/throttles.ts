import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { ThrottleStore } from '#domain/accounts/throttle.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-items.ts';
import { seconds, throttleKey } from './account-items.ts';

const Row = v.object({ marks: v.array(v.number()), revision: v.number() });

export function throttleStore(client: DynamoDBDocumentClient, table: string): ThrottleStore {
  return {
    async find(id) {
      const row = await readItem(client, table, throttleKey(id));
      return row ? v.parse(Row, row) : { marks: [], revision: 0 };
    },
    async save(id, marks, revision, expiresAt) {
      const Item = { ...throttleKey(id), marks, revision: revision + 1, ttl: seconds(expiresAt) };
      const write = new PutCommand({
        TableName: table,
        Item,
        ConditionExpression: revision === 0 ? 'attribute_not_exists(pk)' : 'revision = :revision',
        ...(revision > 0 && { ExpressionAttributeValues: { ':revision': revision } }),
      });
      return 'done' in (await conditionally(client.send(write)));
    },
    async clear(id) {
      await client.send(new DeleteCommand({ TableName: table, Key: throttleKey(id) }));
    },
  };
}
