import type { InferOutput } from 'valibot';
import type { conversationStatuses, KeptMessage } from '#contract/agents/conversations.ts';

/** Names a conversation. */
export interface ConversationRef {
  readonly accountId: number;
  readonly agentId: string;
  readonly id: string;
}

export type ConversationStatus = (typeof conversationStatuses)[number];

/** A turn that has the conversation to itself, until a moment at which its function has ended (epoch ms). */
export interface Lock {
  readonly token: string;
  readonly until: number;
}

/** Stands for the messages before `upTo`. */
export interface Summary {
  readonly text: string;
  readonly upTo: number;
}

/** A conversation without its messages. Moments in epoch ms. */
export interface Conversation extends ConversationRef {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** Of the next message; so many there have been. */
  readonly next: number;
  /** The function whose result is to come. */
  readonly calledFunction?: string | undefined;
  readonly lock?: Lock | undefined;
  readonly summary?: Summary | undefined;
}

type Shown = InferOutput<typeof KeptMessage>;

/** A message as it is kept. Moments in epoch ms; `tokens` by our count, with those of a chat template. */
export interface Message {
  /** Its place in the conversation, from 0. */
  readonly place: number;
  readonly role: Shown['role'];
  readonly content: string;
  /** Of the function whose result it is. */
  readonly name?: string | undefined;
  readonly call?: { readonly name: string; readonly arguments: string } | undefined;
  readonly tokens: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly sources?: Shown['sources'] | undefined;
  readonly context?: Shown['context'] | undefined;
  readonly agentVersion?: number | undefined;
}

/** What a function has locked and not freed by its deadline is free: it died. */
export const isLocked = ({ lock }: Conversation, now: number): boolean => lock !== undefined && lock.until > now;

function statusOf(conversation: Conversation, now: number): ConversationStatus {
  if (isLocked(conversation, now)) return 'running';
  return conversation.calledFunction === undefined ? 'idle' : 'awaiting_function';
}

/** A conversation as its owner sees it. */
export function conversationView(conversation: Conversation, now: number) {
  const { id, agentId, next, createdAt, updatedAt, expiresAt } = conversation;
  return {
    id,
    agentId,
    status: statusOf(conversation, now),
    messageCount: next,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

const placeDigits = 10;

export const messageId = (place: number): string => `msg_${String(place).padStart(placeDigits, '0')}`;
export const placeIn = (id: string): number => Number(id.slice('msg_'.length));

export function messageView({ place, call, createdAt, ...message }: Message): Shown {
  const { role, content, name, sources, context, agentVersion } = message;
  return {
    id: messageId(place),
    role,
    content,
    ...(name !== undefined && { name }),
    ...(call && { function_call: { name: call.name, arguments: call.arguments } }),
    ...(sources && { sources }),
    ...(context && { context }),
    ...(agentVersion !== undefined && { agentVersion }),
    createdAt: new Date(createdAt).toISOString(),
  };
}
