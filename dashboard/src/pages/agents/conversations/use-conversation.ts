import type { InferOutput } from 'valibot';
import type { KeptMessage } from '#contract/agents/conversations.ts';
import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { call } from '../../../api/call.ts';
import { usePages } from '../../../components/tables/use-pages.ts';

export type MessageRecord = InferOutput<typeof KeptMessage>;

const pageSize = 50;
/** How often a conversation that is busy is read again, in ms. */
const busyPollMs = 1000;

/** A conversation as it is kept, its messages from the newest on in pages. Nothing is read without an id. */
export function useConversation(agent: string, conversation: string | undefined) {
  const path = { id: agent, conversationId: conversation ?? '' };
  const pages = usePages({
    queryKey: [conversationRoutes.getConversation.id, agent, conversation],
    isEnabled: conversation !== undefined,
    read: async (cursor, signal) => {
      const query = { limit: String(pageSize), cursor };
      const kept = await call(conversationRoutes.getConversation, { path, query }, { signal });
      return { ...kept, nextCursor: kept.messages.nextCursor };
    },
    rowsOf: (page) => [page],
    pollMs: (first) => first?.status === 'running' && busyPollMs,
  });
  const messages: readonly MessageRecord[] = (pages.data ?? [])
    .flatMap(({ messages: { items } }) => items)
    .toReversed();
  return { pages, state: pages.data?.[0], messages };
}
