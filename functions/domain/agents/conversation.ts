import type { InferOutput } from 'valibot';
import type { conversationStatuses, KeptMessage } from '#contract/agents/conversations.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs, iso } from '#contract/shared/time.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random, Page } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type AgentRef, type AgentService, throwNotFound, type PageRequest } from './agent.ts';

export interface ConversationRef {
  readonly accountId: number;
  readonly agentId: string;
  readonly id: string;
}

export type ConversationStatus = (typeof conversationStatuses)[number];

/** A turn's exclusive lock. It expires at `until` (epoch ms), when the turn's function has certainly ended. */
export interface Lock {
  readonly token: string;
  readonly until: number;
}

export interface Summary {
  readonly text: string;
  readonly upTo: number;
}

/** A conversation without its messages. Times in epoch ms. */
export interface Conversation extends ConversationRef {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** Index of the next message, which is also the number of messages so far. */
  readonly next: number;
  readonly calledFunction?: string | undefined;
  readonly lock?: Lock | undefined;
  readonly summary?: Summary | undefined;
}

type MessageView = InferOutput<typeof KeptMessage>;

/** Times in epoch ms. `tokens` by our count, including the chat template. */
export interface Message {
  readonly place: number;
  readonly role: MessageView['role'];
  readonly content: string;
  readonly name?: string | undefined;
  readonly call?: { readonly name: string; readonly arguments: string } | undefined;
  readonly tokens: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly sources?: MessageView['sources'] | undefined;
  readonly context?: MessageView['context'] | undefined;
  readonly agentVersion?: number | undefined;
}

/** An expired lock belongs to a crashed function and is ignored. */
export const isLocked = ({ lock }: Conversation, now: number): boolean => lock !== undefined && lock.until > now;

function statusOf(conversation: Conversation, now: number): ConversationStatus {
  if (isLocked(conversation, now)) return 'running';
  return conversation.calledFunction === undefined ? 'idle' : 'awaiting_function';
}

function conversationView(conversation: Conversation, now: number) {
  const { id, agentId, next, createdAt, updatedAt, expiresAt } = conversation;
  return {
    id,
    agentId,
    status: statusOf(conversation, now),
    messageCount: next,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    expiresAt: iso(expiresAt),
  };
}

const placeDigits = 10;

export const messageId = (place: number): string => `msg_${String(place).padStart(placeDigits, '0')}`;
const placeIn = (id: string): number => Number(id.slice('msg_'.length));

function messageView({ place, call, createdAt, ...message }: Message): MessageView {
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
    createdAt: iso(createdAt),
  };
}

export interface ConversationServiceParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly conversations: ConversationStore;
  readonly enforceChangeLimit: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

export function conversationService(parts: ConversationServiceParts) {
  const { agents, conversations, enforceChangeLimit, clock, random } = parts;

  async function create(accountId: number, agentId: string) {
    const { retentionDays } = await agents.existing(accountId, agentId);
    await enforceChangeLimit(accountId);
    const now = clock.now();
    const conversation: Conversation = {
      accountId,
      agentId,
      id: timedId('cnv', now, random),
      createdAt: now,
      updatedAt: now,
      expiresAt: now + retentionDays * dayMs,
      next: 0,
    };
    if (await conversations.create(conversation)) return conversationView(conversation, now);
    await agents.existing(accountId, agentId);
    throw new ServiceError(
      'INVALID_STATE',
      `An agent can have at most ${limits.agentConversations} conversations. Delete one first.`,
    );
  }

  async function list(accountId: number, agentId: string, request: PageRequest) {
    const agent = await agents.existing(accountId, agentId);
    const now = clock.now();
    const { items, next } = await conversations.page(agent, request, now);
    return { items: items.map((one) => conversationView(one, now)), nextCursor: next };
  }

  async function get(
    accountId: number,
    { id: agentId, conversationId: id }: { id: string; conversationId: string },
    { limit, cursor }: PageRequest,
  ) {
    await agents.existing(accountId, agentId);
    const now = clock.now();
    const ref = { accountId, agentId, id };
    const before = cursor === undefined ? undefined : placeIn(cursor);
    const [found, messages] = await Promise.all([
      conversations.find(ref, now),
      conversations.messages(ref, { limit, before }, now),
    ]);
    if (!found) return throwNotFound('conversation');
    return {
      ...conversationView(found, now),
      summary: found.summary?.text ?? null,
      messages: { items: messages.items.map(messageView), nextCursor: messages.next },
    };
  }

  async function remove(
    accountId: number,
    { id: agentId, conversationId: id }: { id: string; conversationId: string },
  ): Promise<void> {
    await agents.existing(accountId, agentId);
    const now = clock.now();
    const ref = { accountId, agentId, id };
    if (!(await conversations.find(ref, now))) throwNotFound('conversation');
    await enforceChangeLimit(accountId);
    if (!(await conversations.remove(ref, now))) throwNotFound('conversation');
  }

  return { create, list, get, remove };
}

export interface RecentConversation {
  readonly conversation: Conversation;
  readonly recent: readonly Message[];
}

export interface CompletedTurn {
  readonly after: Conversation;
  readonly messages: readonly Message[];
}

/** Times in epoch ms. Conversations that have expired by `now` do not exist. */
export interface ConversationStore {
  create(conversation: Conversation): Promise<boolean>;
  page(agent: AgentRef, request: PageRequest, now: number): Promise<Page<Conversation>>;
  find(ref: ConversationRef, now: number): Promise<Conversation | undefined>;
  messages(
    ref: ConversationRef,
    request: { readonly limit: number; readonly before?: number | undefined },
    now: number,
  ): Promise<Page<Message>>;
  /** Reads pages while `missing` estimates that more messages are needed. It receives them newest first. */
  recent(
    ref: ConversationRef,
    now: number,
    missing: (messages: readonly Message[], conversation: Conversation) => Promise<number>,
  ): Promise<RecentConversation | undefined>;
  lock(conversation: Conversation, now: number): Promise<boolean>;
  /** Stores the turn and unlocks the conversation in one write. Returns false if the lock was lost. */
  keep(turn: CompletedTurn): Promise<boolean>;
  unlock(conversation: Conversation): Promise<void>;
  remove(ref: ConversationRef, now: number): Promise<boolean>;
}
