import { limits } from '#contract/shared/limits.ts';
import { timedId } from '../../shared/ids.ts';
import type { Clock, Random } from '../../shared/ports.ts';
import { ServiceError } from '../../shared/service-error.ts';
import { type AgentService, missing } from '../agent-service.ts';
import type { PageRequest } from '../agent-store.ts';
import type { ConversationStore } from './conversation-store.ts';
import { type Conversation, conversationView, messageView, placeIn } from './conversation.ts';

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
