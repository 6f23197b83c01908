import { Anchor, Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { call } from '../../../api/call.ts';
import { useMe } from '../../../api/reads.ts';
import { Icon } from '../../../components/elements/icon.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { PagedList } from '../../../components/tables/paged-list.tsx';
import { usePages } from '../../../components/tables/use-pages.ts';
import { Unconfirmed } from '../../overview/unconfirmed.tsx';
import { agentGuide } from '../agent.ts';
import { AgentTable } from './agent-table.tsx';

const pageSize = 25;

/** All agents of the account. */
export function AgentListPage() {
  const { data: me } = useMe();
  const isUnconfirmed = me?.isConfirmed === false;
  const pages = usePages({
    queryKey: [agentRoutes.listAgents.id],
    read: (cursor, signal) => call(agentRoutes.listAgents, { query: { limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ items }) => items,
  });
  const create = (
    <Button component={Link} href="/agents?new" leftSection={<Icon name="plus" />}>
      Create agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      lead="Models with your own instructions, functions and documents. Conversations are saved."
      actions={isUnconfirmed ? undefined : create}
    >
      <Stack gap="lg">
        {isUnconfirmed ? (
          <Unconfirmed email={me.email} />
        ) : (
          <Panel title="Your agents">
            <PagedList
              pages={pages}
              empty={
                <Empty icon="agents" title="No agents yet" action={create}>
                  An agent replies from your instructions and documents, and names its sources.{' '}
                  {agentGuide !== undefined && (
                    <Anchor
                      component={Link}
                      href={`/guides/${agentGuide}`}
                      display="inline-block"
                      inherit
                      underline="always"
                    >
                      How agents work
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
