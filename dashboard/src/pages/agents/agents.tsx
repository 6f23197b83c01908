import { useQuery } from '../../lib/use-query.ts';
import { AgentPage } from './agent-page.tsx';
import { NewAgentPage } from './editor/new-agent-page.tsx';
import { AgentListPage } from './list/agent-list-page.tsx';

/** The agents; one of them where the URL names it, or a new one. */
export default function AgentsPage() {
  const [query] = useQuery();
  const id = query.get('agent');
  if (id !== null && id !== '') return <AgentPage key={id} id={id} />;
  return query.has('new') ? <NewAgentPage /> : <AgentListPage />;
}
