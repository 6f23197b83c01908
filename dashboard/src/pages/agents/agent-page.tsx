import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { agentRoutes } from '#contract/routes/agents.ts';
import { useAction } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { useData } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Icon } from '../../components/icon.tsx';
import { LazyTabs, lazyTab } from '../../components/lazy-tabs.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify, notifyError } from '../../components/notifications.tsx';
import { confirm } from '../../components/overlays.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { formatMoment } from '../../lib/format.ts';
import { keepDraft } from './agent-draft.ts';
import { type AgentRecord, isAbout } from './agent.ts';

export default function AgentPage({ id }: { id: string }) {
  const { data: agent, error, refetch } = useData(agentRoutes.getAgent, { path: { id } });
  const isMissing = error !== null && toApiError(error).code === 'NOT_FOUND';
  return (
    <Page
      title={agent?.name ?? t`Agent`}
      lead={agent && <Lead agent={agent} />}
      actions={agent && <DeleteAgent agent={agent} />}
    >
      <Stack gap="lg">
        {isMissing && (
          <Panel title={t`Not found`}>
            <Empty icon="agents" title={t`Agent not found`}>
              <Trans>It may have been deleted.</Trans>
            </Empty>
          </Panel>
        )}
        {error && !isMissing && !agent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!agent && !error && <Skeleton height={420} radius="lg" />}
        {agent && !isMissing && (
          <LazyTabs
            label={t`About this agent`}
            tabs={tabs}
            view={{ agent }}
            fallback={<Skeleton height={420} radius="lg" />}
          />
        )}
        <Anchor component={Link} href="/agents" size="sm">
          <Trans>All agents</Trans>
        </Anchor>
      </Stack>
    </Page>
  );
}

function Lead({ agent: { id, model, version, updatedAt } }: { agent: AgentRecord }) {
  const date = formatMoment(updatedAt);
  return (
    <>
      <Trans>
        {model}, version {version}, changed {date}
      </Trans>
      <Group component="span" gap={4}>
        <span className="mono">{id}</span>
        <CopyButton value={id} what={t`agent ID`} />
      </Group>
    </>
  );
}

const tabs = [
  lazyTab('conversations', msg`Conversations`, async () => (await import('./conversations.tsx')).ConversationsTab),
  lazyTab('documents', msg`Documents`, async () => (await import('./documents.tsx')).DocumentsTab),
  lazyTab('settings', msg`Settings`, async () => (await import('./agent-settings.tsx')).SettingsTab),
];

function DeleteAgent({ agent: { id, name } }: { agent: AgentRecord }) {
  const [, go] = useLocation();
  const client = useQueryClient();
  const deletion = useAction(async () => {
    try {
      await perform(agentRoutes.deleteAgent, { path: { id } });
    } catch (error) {
      notifyError(error);
      throw error;
    }
    keepDraft(id, {});
    go('/agents', { replace: true });
    // Prevents the Back button from showing the deleted agent.
    client.removeQueries({ predicate: ({ queryKey }) => isAbout(queryKey, id) });
    notify({ message: t`“${name}” is deleted.` });
  }, [agentRoutes.listAgents]);
  return (
    <Button
      variant="default"
      leftSection={<Icon name="trash" size={16} />}
      loading={deletion.isRunning}
      onClick={() =>
        confirm({
          title: t`Delete “${name}”?`,
          text: t`Its documents and all conversations with it are deleted too. This cannot be undone.`,
          action: t`Delete agent`,
          onConfirm: () => void deletion.run(undefined),
        })
      }
    >
      <Trans>Delete agent</Trans>
    </Button>
  );
}
