import type { InferOutput } from 'valibot';
import type { conversationStatuses, KeptMessage } from '#contract/agents/conversations.ts';
import { limits } from '#contract/shared/limits.ts';
import { timedId } from '../shared/credential.ts';
import type { Clock, Random, Page } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { type AgentRef, type AgentService, missing, type PageRequest } from './agent.ts';

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
function conversationView(conversation: Conversation, now: number) {
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
const placeIn = (id: string): number => Number(id.slice('msg_'.length));

function messageView({ place, call, createdAt, ...message }: Message): Shown {
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

export interface ConversationServiceParts {
  readonly agents: Pick<AgentService, 'existing'>;
  readonly conversations: ConversationStore;
  /** Refuses (429) an account that begins or deletes too many. */
  readonly demandChange: (accountId: number) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
}

export const dayMs = 86_400_000;

/** The conversations with an agent, for its owner to begin, read and delete. */
export function conversationService(parts: ConversationServiceParts) {
  const { agents, conversations, demandChange, clock, random } = parts;

  async function create(accountId: number, agentId: string) {
    const { retentionDays } = await agents.existing(accountId, agentId);
    await demandChange(accountId);
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
    if (!found) return missing('conversation');
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
    if (!(await conversations.find(ref, now))) missing('conversation');
    await demandChange(accountId);
    if (!(await conversations.remove(ref, now))) missing('conversation');
  }

  return { create, list, get, remove };
}

/** A conversation as a turn reads it: with its newest messages, oldest first. */
export interface RecentConversation {
  readonly conversation: Conversation;
  readonly recent: readonly Message[];
}

/** What a turn leaves. */
export interface KeptTurn {
  /** As it is then; its `lock` is the turn's own. */
  readonly after: Conversation;
  readonly messages: readonly Message[];
}

/** Conversations with agents. Moments in epoch ms; what has expired by `now` is not there. */
export interface ConversationStore {
  /** False when the agent has as many as it may, or is gone. */
  create(conversation: Conversation): Promise<boolean>;
  /** Newest first. */
  page(agent: AgentRef, request: PageRequest, now: number): Promise<Page<Conversation>>;
  find(ref: ConversationRef, now: number): Promise<Conversation | undefined>;
  /** Newest first, before a place. */
  messages(
    ref: ConversationRef,
    request: { readonly limit: number; readonly before?: number | undefined },
    now: number,
  ): Promise<Page<Message>>;
  /**
   * Reads the newest messages page by page while `missing` estimates that more are needed. `missing` receives the
   * messages newest first.
   */
  recent(
    ref: ConversationRef,
    now: number,
    missing: (messages: readonly Message[], conversation: Conversation) => Promise<number>,
  ): Promise<RecentConversation | undefined>;
  /** Gives the conversation, unchanged since it was read, to the turn whose `lock` it has; false when another has it, or it has gone on or is gone. */
  lock(conversation: Conversation, now: number): Promise<boolean>;
  /** In one write, while the turn has its lock; false when it has lost it, or the conversation is gone. Frees the conversation. */
  keep(turn: KeptTurn): Promise<boolean>;
  /** Gives up the lock of a turn that leaves nothing. */
  unlock(conversation: Conversation): Promise<void>;
  /** False when there was none. */
  remove(ref: ConversationRef, now: number): Promise<boolean>;
}
