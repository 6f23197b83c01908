import type { PageRequest } from '../agent-store.ts';
import type { AgentRef, Page } from '../agent.ts';
import type { Conversation, ConversationRef, Message } from './conversation.ts';

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
