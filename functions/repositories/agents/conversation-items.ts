import * as v from 'valibot';
import { KeptMessage } from '#contract/agents/conversations.ts';
import type { Conversation, ConversationRef, Message } from '#domain/agents/conversation.ts';
import { seconds, storedInstant } from '../accounts/account-items.ts';
import { agentPartition, conversationPartition, conversationPrefix, idIn } from './agent-items.ts';

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
