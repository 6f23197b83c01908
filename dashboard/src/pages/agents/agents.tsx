import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { agentRoutes } from '#contract/routes/agents.ts';
import { useMe } from '../../api/reads.ts';
import { PageSkeleton } from '../../components/boundary.tsx';
import { Unconfirmed } from '../../components/emails.tsx';
import { Icon } from '../../components/icon.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { type Column, DataTable, Name, PagedList, useRoutePages } from '../../components/tables.tsx';
import { formatMoment, formatWhole } from '../../lib/format.ts';
import { useQuery } from '../../lib/hooks.ts';
import { orReload } from '../../lib/load.ts';
import { agentGuide, agentPath, type AgentRecord } from './agent.ts';

const AgentPage = lazy(orReload(() => import('./agent-page.tsx')));
const NewAgentPage = lazy(orReload(() => import('./agent-settings.tsx')));

/** Shows one agent if the URL contains its id, a form for a new one with `new`, otherwise the list. */
export default function AgentsPage() {
  const [query] = useQuery();
  const id = query.get('agent');
  if (id === null && !query.has('new')) return <AgentListPage />;
  return (
    <Suspense fallback={<PageSkeleton />}>{id === null ? <NewAgentPage /> : <AgentPage key={id} id={id} />}</Suspense>
  );
}

function AgentListPage() {
  const { data: me } = useMe();
  const isUnconfirmed = me?.isConfirmed === false;
  const pages = useRoutePages({
    route: agentRoutes.listAgents,
    input: (query) => ({ query }),
    rowsOf: ({ items }) => items,
  });
  const create = (
    <Button component={Link} href="/agents?new" leftSection={<Icon name="plus" />}>
      <Trans>Create agent</Trans>
    </Button>
  );
  return (
    <Page
      title={t`Agents`}
      lead={t`Models with your own instructions, functions and documents. Conversations are saved.`}
      actions={isUnconfirmed ? undefined : create}
    >
      <Stack gap="lg">
        {isUnconfirmed ? (
          <Unconfirmed email={me.email} />
        ) : (
          <Panel title={t`Your agents`}>
            <PagedList
              pages={pages}
              empty={
                <Empty icon="agents" title={t`No agents yet`} action={create}>
                  <Trans>An agent replies from your instructions and documents, and names its sources.</Trans>{' '}
                  {agentGuide !== undefined && (
                    <Anchor
                      component={Link}
                      href={`/guides/${agentGuide}`}
                      display="inline-block"
                      inherit
                      underline="always"
                    >
                      <Trans>How agents work</Trans>
                    </Anchor>
                  )}
                </Empty>
              }
            >
              {(agents) => <AgentTable agents={agents} />}
            </PagedList>
          </Panel>
        )}
      </Stack>
    </Page>
  );
}

const columns = (): Column<AgentRecord>[] => [
  {
    title: t`Name`,
    place: 'lead',
    cell: ({ id, name }) => (
      <Anchor component={Link} href={agentPath(id)} inherit display="block">
        <Name>{name}</Name>
      </Anchor>
    ),
  },
  { title: t`Model`, cell: ({ model }) => <span className="mono">{model}</span> },
  { title: t`Version`, place: 'end', cell: ({ version }) => version },
  { title: t`Passages`, place: 'end', cell: ({ chunks }) => formatWhole(chunks) },
  { title: t`Last change`, place: 'wide', cell: ({ updatedAt }) => formatMoment(updatedAt) },
];

function AgentTable({ agents }: { agents: readonly AgentRecord[] }) {
  return <DataTable caption={t`Agents, newest first`} columns={columns()} rows={agents} idOf={({ id }) => id} />;
}
