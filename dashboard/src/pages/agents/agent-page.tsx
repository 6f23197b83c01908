import { Anchor, Skeleton, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { agentRoutes } from '#contract/routes/agents/agents.ts';
import { toApiError } from '../../api/http/api-error.ts';
import { useData } from '../../api/use-data.ts';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { formatMoment } from '../../lib/format.ts';
import css from './agent-page.module.css';
import { AgentTabs } from './agent-tabs.tsx';
import type { AgentRecord } from './agent.ts';
import { DeleteAgent } from './delete-agent.tsx';

/** One agent: conversations with it, its documents and settings. */
export default function AgentPage({ id }: { id: string }) {
  const { data: agent, error, refetch } = useData(agentRoutes.getAgent, { path: { id } });
  const isMissing = error !== null && toApiError(error).code === 'NOT_FOUND';
  return (
    <Page
      title={agent?.name ?? 'Agent'}
      lead={agent && <Lead agent={agent} />}
      actions={agent && <DeleteAgent agent={agent} />}
    >
      <Stack gap="lg">
        {isMissing && (
          <Panel title="Not found">
            <Empty icon="agents" title="Agent not found">
              It may have been deleted.
            </Empty>
          </Panel>
        )}
        {error && !isMissing && !agent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!agent && !error && <Skeleton height={420} radius="lg" />}
        {agent && !isMissing && <AgentTabs agent={agent} />}
        <Anchor component={Link} href="/agents" size="sm">
          All agents
        </Anchor>
      </Stack>
    </Page>
  );
}

function Lead({ agent: { id, model, version, updatedAt } }: { agent: AgentRecord }) {
  return (
    <>
      {model}, version {version}, changed {formatMoment(updatedAt)}
      <span className={css.id}>
        <span className="mono">{id}</span>
        <CopyButton value={id} what="agent ID" />
      </span>
    </>
  );
}
