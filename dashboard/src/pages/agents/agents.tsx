import { lazy, Suspense } from 'react';
import { PageSkeleton } from '../../components/feedback/page-skeleton.tsx';
import { useQuery } from '../../lib/hooks/use-query.ts';
import { orReload } from '../../lib/or-reload.ts';
import { AgentListPage } from './list/agent-list-page.tsx';

const AgentPage = lazy(orReload(() => import('./agent-page.tsx')));
const NewAgentPage = lazy(orReload(() => import('./editor/new-agent-page.tsx')));

/** The agents; one of them where the URL names it, or a new one. */
export default function AgentsPage() {
  const [query] = useQuery();
  const id = query.get('agent');
  if (id === null && !query.has('new')) return <AgentListPage />;
  return (
    <Suspense fallback={<PageSkeleton />}>{id === null ? <NewAgentPage /> : <AgentPage key={id} id={id} />}</Suspense>
  );
}
