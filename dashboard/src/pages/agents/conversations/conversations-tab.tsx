import { useState } from 'react';
import { useLocation } from 'wouter';
import { agentRoutes } from '#contract/routes/agents.ts';
import { call } from '../../../api/call.ts';
import { useQuery } from '../../../lib/use-query.ts';
import { type AgentRecord, agentPath } from '../agent.ts';
import { Chat } from './chat.tsx';
import { ConversationList } from './conversation-list.tsx';
import css from './conversations.module.css';

/** The conversations with an agent, and the one that the URL names, or a new one. */
export function ConversationsTab({ agent }: { agent: AgentRecord }) {
  const [query] = useQuery();
  const [, go] = useLocation();
  const id = query.get('conversation') ?? undefined;
  // A new conversation gets its id with its first message, and what shows it stays.
  const [begun, setBegun] = useState<readonly string[]>([]);
  const place = id === undefined ? begun.length : begun.indexOf(id);
  const begin = async (): Promise<string> => {
    const { href } = window.location;
    const created = await call(agentRoutes.createConversation, { path: { id: agent.id } });
    setBegun((known) => [...known, created.id]);
    // Whoever has gone on to another page or tab stays there.
    if (window.location.href === href) go(agentPath(agent.id, { conversation: created.id }), { replace: true });
    return created.id;
  };
  return (
    <div className={css.layout}>
      <Chat key={place < 0 ? id : place} agent={agent} id={id} onBegin={begin} />
      <ConversationList agent={agent} current={id} />
    </div>
  );
}
