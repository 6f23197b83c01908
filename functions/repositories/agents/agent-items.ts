import * as v from 'valibot';
import { NewAgent } from '#contract/agents/agents.ts';
import { KeptMessage } from '#contract/agents/conversations.ts';
import type { Agent, AgentRef } from '#domain/agents/agent.ts';
import type { Conversation, ConversationRef, Message } from '#domain/agents/conversation.ts';
import { storedInstant, seconds } from '../accounts/account-items.ts';
import { accountPartition } from '../shared/read-items.ts';

/**
 * Keys of the `agents` table (docs/adr/0022-agents.md). Account partition: its agents. Agent partitions:
 * conversations and documents, and separately their chunks. Conversation partition: its state and messages.
 */
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

export const messagePrefix = 'message#';
const placeDigits = 10;
export const placeText = (place: number): string => String(place).padStart(placeDigits, '0');
const messageKey = (id: string, place: number) => ({
  pk: conversationPartition(id),
  sk: `${messagePrefix}${placeText(place)}`,
});

/** Sorts after all messages, so that a reverse read starts with it. */
export const stateKey = (id: string) => ({ pk: conversationPartition(id), sk: 'state' });

export function entryRow({ agentId, id, expiresAt }: Conversation) {
  return {
    pk: agentPartition(agentId),
    sk: `${conversationPrefix}${id}`,
    expiresAt,
    ttl: seconds(expiresAt),
  };
}

export const StoredEntry = v.object({ sk: v.pipe(v.string(), v.transform(idIn)) });

export const stateAttributes = [
  'pk',
  'a',
  'agentId',
  'createdAt',
  'updatedAt',
  'expiresAt',
  'next',
  'calledFunction',
  'lock',
  'summary',
] as const;

export const StoredConversation = v.pipe(
  v.object({
    pk: v.string(),
    a: v.number(),
    agentId: v.string(),
    createdAt: storedInstant,
    updatedAt: storedInstant,
    expiresAt: storedInstant,
    next: v.number(),
    calledFunction: v.exactOptional(v.string()),
    lock: v.exactOptional(v.object({ token: v.string(), until: v.number() })),
    summary: v.exactOptional(v.object({ text: v.string(), upTo: v.number() })),
  }),
  v.transform(({ pk, a: accountId, ...state }): Conversation => ({ accountId, id: idIn(pk), ...state })),
);

export function stateRow({ accountId, id, ...state }: Conversation) {
  return { ...stateKey(id), a: accountId, ...state, ttl: seconds(state.expiresAt) };
}

/** Checks the owner, because ids alone grant no access. */
export const matchesRef = (ref: ConversationRef, stored: Conversation, now: number): boolean =>
  stored.accountId === ref.accountId && stored.agentId === ref.agentId && stored.expiresAt > now;

const { sources, context } = KeptMessage.entries;
/** Fields that only the owner reads. JSON text parses faster than DynamoDB maps. */
const About = v.object({ sources, context, agentVersion: v.exactOptional(v.number()) });

export const StoredMessage = v.pipe(
  v.object({
    sk: v.string(),
    role: KeptMessage.entries.role,
    content: v.string(),
    name: v.exactOptional(v.string()),
    call: v.exactOptional(v.object({ name: v.string(), arguments: v.string() })),
    tokens: v.number(),
    createdAt: storedInstant,
    expiresAt: storedInstant,
    about: v.exactOptional(v.pipe(v.string(), v.parseJson(), About)),
  }),
  v.transform(({ sk, about, ...message }): Message => ({ place: Number(idIn(sk)), ...message, ...about })),
);

export function messageRow(id: string, { place, sources, context, agentVersion, ...message }: Message) {
  const about = { sources, context, agentVersion };
  const isAbout = Object.values(about).some((value) => value !== undefined);
  return {
    ...messageKey(id, place),
    ...message,
    ...(isAbout && { about: JSON.stringify(about) }),
    ttl: seconds(message.expiresAt),
  };
}
