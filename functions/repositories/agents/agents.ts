import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import type { Agent, AgentStore } from '#domain/agents/agent.ts';
import { conditionally } from '../shared/conditional.ts';
import { type Items, itemsBy, sdkSend } from '../shared/items.ts';
import { newestFirst } from '../shared/pages.ts';
import { accountPartition } from '../shared/read-items.ts';
import { commit, putNew, type TransactItem } from '../shared/transaction.ts';
import { agentPrefix, agentKey, agentCountKey, StoredAgent, agentRow } from './agent-items.ts';
import { purger } from './purge.ts';

const changeable = [
  'name',
  'model',
  'instructions',
  'functions',
  'temperature',
  'maxTokens',
  'truncation',
  'retentionDays',
  'version',
  'updatedAt',
] as const satisfies readonly (keyof Agent)[];

export const agentFinder =
  (items: Items, table: string): AgentStore['find'] =>
  async (ref) => {
    const item = await items.get(table, agentKey(ref));
    return item && v.parse(StoredAgent, item);
  };

export function agentStore(client: DynamoDBDocumentClient, table: string): AgentStore {
  const purge = purger(client, table);

  const counted = (accountId: number, by: 1 | -1): TransactItem => ({
    Update: {
      TableName: table,
      Key: agentCountKey(accountId),
      UpdateExpression: 'ADD agents :by',
      ConditionExpression: 'attribute_not_exists(agents) OR agents < :max',
      ExpressionAttributeValues: { ':by': by, ':max': by > 0 ? limits.agents : limits.agents + 1 },
    },
  });

  return {
    find: agentFinder(itemsBy(sdkSend(client)), table),
    page(accountId, { limit, cursor }) {
      const list = { pk: accountPartition(accountId), prefix: agentPrefix, cursor, limit, schema: StoredAgent };
      return newestFirst(client, table, list);
    },
    create(agent) {
      return commit(client, [counted(agent.accountId, 1), putNew(table, agentRow(agent))]);
    },
    async change(after) {
      const row = agentRow(after);
      const update = new UpdateCommand({
        TableName: table,
        Key: agentKey(after),
        UpdateExpression: `SET ${changeable.map((field) => `#${field} = :${field}`).join(', ')}`,
        ConditionExpression: '#version = :before',
        ExpressionAttributeNames: Object.fromEntries(changeable.map((field) => [`#${field}`, field])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(changeable.map((field) => [`:${field}`, row[field]])),
          ':before': after.version - 1,
        },
      });
      return 'done' in (await conditionally(client.send(update)));
    },
    async remove(ref, now) {
      const note = { kind: 'agent', ...ref, agentId: ref.id, at: now } as const;
      const isDone = await commit(client, [
        { Delete: { TableName: table, Key: agentKey(ref), ConditionExpression: 'attribute_exists(pk)' } },
        counted(ref.accountId, -1),
        purge.purgeItem(note),
      ]);
      if (isDone) await purge.purgeNow(note);
      return isDone;
    },
  };
}
