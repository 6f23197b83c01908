import { type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { limits } from '#contract/shared/limits.ts';
import type { AgentRef } from '#domain/agents/agent.ts';
import type { Conversation } from '#domain/agents/conversations/conversation.ts';
import { conditionally } from '../shared/conditional.ts';
import { readItem } from '../shared/read-item.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { agentKey, agentPartition, conversationPrefix } from './agent-items.ts';

const Counted = v.object({ conversations: v.number() });

/** Conversations are counted in the item of their agent, which has to be there. Those that expire are counted on until the count is full. */
export function conversationCount(client: DynamoDBDocumentClient, table: string) {
  const counted = (agent: AgentRef, condition: string, values: object): TransactItem => ({
    Update: {
      TableName: table,
      Key: agentKey(agent),
      UpdateExpression: 'ADD conversations :by',
      ConditionExpression: `attribute_exists(pk)${condition}`,
      ExpressionAttributeValues: { ...values },
    },
  });

  async function alive(agentId: string, now: number): Promise<number> {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      FilterExpression: 'expiresAt > :now',
      ExpressionAttributeValues: { ':pk': agentPartition(agentId), ':prefix': conversationPrefix, ':now': now },
      ConsistentRead: true,
      Select: 'COUNT' as const,
    };
    let count = 0;
    for await (const { Count = 0 } of paginateQuery({ client }, query)) count += Count;
    return count;
  }

  return {
    /** On condition that there is room. */
    oneMore: ({ accountId, agentId: id }: Conversation): TransactItem =>
      counted({ accountId, id }, ' AND (attribute_not_exists(conversations) OR conversations < :max)', {
        ':by': 1,
        ':max': limits.agentConversations,
      }),
    oneLess: (agent: AgentRef): TransactItem => counted(agent, '', { ':by': -1 }),
    /** Whether there is room once those that have expired are counted no more. */
    async recount({ accountId, agentId: id, createdAt: now }: Conversation): Promise<boolean> {
      const item = await readItem(client, table, agentKey({ accountId, id }));
      if (!v.is(Counted, item) || item.conversations < limits.agentConversations) return item !== undefined;
      const count = await alive(id, now);
      if (count >= limits.agentConversations) return false;
      const update = new UpdateCommand({
        TableName: table,
        Key: agentKey({ accountId, id }),
        UpdateExpression: 'SET conversations = :count',
        ConditionExpression: 'conversations = :seen',
        ExpressionAttributeValues: { ':count': count, ':seen': item.conversations },
      });
      await conditionally(client.send(update));
      return true;
    },
  };
}
