import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Skeleton, Stack, Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { agentRoutes } from '#contract/routes/agents.ts';
import { useAction } from '../../api/actions.ts';
import { perform } from '../../api/call.ts';
import { useData } from '../../api/reads.ts';
import { toApiError } from '../../api/response.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { confirm } from '../../components/overlays.tsx';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { formatMoment } from '../../lib/format.ts';
import { useQueryChoice } from '../../lib/hooks.ts';
import { lazyComponent } from '../../lib/load.ts';
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
        {agent && !isMissing && <AgentTabs agent={agent} />}
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

const tab = (id: string, title: MessageDescriptor, load: () => Promise<ComponentType<{ agent: AgentRecord }>>) => ({
  id,
  title,
  View: lazyComponent(load),
});

const tabs = [
  tab('conversations', msg`Conversations`, async () => (await import('./conversations.tsx')).ConversationsTab),
  tab('documents', msg`Documents`, async () => (await import('./documents.tsx')).DocumentsTab),
  tab('settings', msg`Settings`, async () => (await import('./agent-settings.tsx')).SettingsTab),
];

/** Loads each tab when it is first opened, then keeps it mounted with its typed text and streaming reply. */
function AgentTabs({ agent }: { agent: AgentRecord }) {
  const [current, setCurrent] = useQueryChoice('tab', ['conversations', 'documents', 'settings']);
  const [seen, setSeen] = useState<readonly string[]>([current]);
  if (!seen.includes(current)) setSeen([...seen, current]);
  return (
    <Tabs
      value={current}
      onChange={setCurrent}
      // The default mode unmounts effects, which would cancel a streaming reply.
      keepMountedMode="display-none"
    >
      <Tabs.List mb="lg" aria-label={t`About this agent`}>
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {i18n._(title)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, View }) => (
        <Tabs.Panel key={id} value={id}>
          {seen.includes(id) && (
            <Suspense fallback={<Skeleton height={420} radius="lg" />}>
              <View agent={agent} />
            </Suspense>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function DeleteAgent({ agent: { id, name } }: { agent: AgentRecord }) {
  const [, go] = useLocation();
  const client = useQueryClient();
  const deletion = useAction(async () => {
    try {
      await perform(agentRoutes.deleteAgent, { path: { id } });
    } catch (error) {
      notify({ message: toApiError(error).message, color: 'red' });
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
