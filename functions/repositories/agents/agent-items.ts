import * as v from 'valibot';
import { NewAgent } from '#contract/agents/agents.ts';
import type { Agent, AgentRef } from '#domain/agents/agent.ts';
import { storedInstant } from '../accounts/account-items.ts';

/**
 * Keys of the `agents` table (docs/adr/0022-agents.md). Account partition: its agents. Agent partitions:
 * conversations and documents, and separately their chunks. Conversation partition: its state and messages.
 */
export const accountPartition = (accountId: number): string => `account#${accountId}`;
export const agentPartition = (agentId: string): string => `agent#${agentId}`;
export const indexPartition = (agentId: string): string => `index#${agentId}`;
export const conversationPartition = (id: string): string => `conversation#${id}`;
export const purgePartition = 'purge';
export const indexingPartition = 'indexing';

export const agentPrefix = 'agent#';
export const conversationPrefix = 'conversation#';
export const documentPrefix = 'document#';

export const agentKey = ({ accountId, id }: AgentRef) => ({
  pk: accountPartition(accountId),
  sk: `${agentPrefix}${id}`,
});
export const agentCountKey = (accountId: number) => ({ pk: accountPartition(accountId), sk: 'count' });

export const idIn = (key: string): string => key.slice(key.lastIndexOf('#') + 1);

const { entries } = NewAgent;

/** Functions are JSON text, because DynamoDB maps do not preserve the order of fields. */
const AgentItem = v.object({
  pk: v.string(),
  sk: v.string(),
  name: v.string(),
  model: v.string(),
  instructions: v.string(),
  functions: v.pipe(v.string(), v.parseJson(), entries.functions),
  temperature: v.number(),
  maxTokens: v.nullable(v.number()),
  truncation: entries.truncation,
  retentionDays: v.number(),
  version: v.number(),
  chunks: v.number(),
  index: v.number(),
  createdAt: storedInstant,
  updatedAt: storedInstant,
});

export const StoredAgent = v.pipe(
  AgentItem,
  v.transform(({ pk, sk, ...agent }): Agent => ({ accountId: Number(idIn(pk)), id: idIn(sk), ...agent })),
);

export function agentRow({ accountId, id, functions, ...agent }: Agent) {
  return { ...agentKey({ accountId, id }), ...agent, functions: JSON.stringify(functions) };
}
