import { useState } from 'react';
import { conversationRoutes } from '#contract/routes/agents/conversations.ts';
import { call, perform } from '../../../api/call.ts';
import { useQuery } from '../../../lib/hooks/use-query.ts';
import type { AgentRecord } from '../agent.ts';
import { Chat } from './chat.tsx';
import { ConversationList } from './conversation-list.tsx';
import css from './conversations.module.css';

/** The conversations with an agent, and the one that the URL names, or a new one. */
export function ConversationsTab({ agent }: { agent: AgentRecord }) {
  const [query, change] = useQuery();
  const id = query.get('conversation') ?? undefined;
  // A new conversation gets its id with its first message, and what shows it stays.
  const [begun, setBegun] = useState<readonly string[]>([]);
  const place = id === undefined ? begun.length : begun.indexOf(id);
  const begin = async (): Promise<string> => {
    const { pathname } = window.location;
    const created = await call(conversationRoutes.createConversation, { path: { id: agent.id } });
    setBegun((known) => [...known, created.id]);
    // Whoever has gone on to another page or conversation stays there.
    const now = new URLSearchParams(window.location.search);
    if (window.location.pathname === pathname && now.get('agent') === agent.id && !now.has('conversation'))
      change({ conversation: created.id });
    return created.id;
  };
  // A stream that broke may go on at the service: what is there, or comes, stays.
  const removeEmpty = async (conversationId: string): Promise<void> => {
    const path = { id: agent.id, conversationId };
    try {
      const { status, messageCount } = await call(conversationRoutes.getConversation, { path, query: { limit: '1' } });
      if (status !== 'idle' || messageCount > 0) return;
      await perform(conversationRoutes.deleteConversation, { path });
    } catch {
      // It stays in the list, where it can be deleted.
      return;
    }
    setBegun((known) => known.filter((one) => one !== conversationId));
    if (new URLSearchParams(window.location.search).get('conversation') === conversationId)
      change({ conversation: undefined });
  };
  return (
    <div className={css.layout}>
      <Chat key={place < 0 ? id : place} agent={agent} id={id} onBegin={begin} onFailedBegin={removeEmpty} />
      <ConversationList agent={agent} current={id} />
    </div>
  );
}
