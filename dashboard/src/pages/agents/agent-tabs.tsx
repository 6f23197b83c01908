import { Skeleton, Tabs } from '@mantine/core';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { orReload } from '../../lib/or-reload.ts';
import type { AgentRecord } from './agent.ts';

const tab = (id: string, title: string, load: () => Promise<ComponentType<{ agent: AgentRecord }>>) => ({
  id,
  title,
  View: lazy(orReload(async () => ({ default: await load() }))),
});

const tabs = [
  tab(
    'conversations',
    'Conversations',
    async () => (await import('./conversations/conversations-tab.tsx')).ConversationsTab,
  ),
  tab('documents', 'Documents', async () => (await import('./documents/documents-tab.tsx')).DocumentsTab),
  tab('settings', 'Settings', async () => (await import('./editor/settings-tab.tsx')).SettingsTab),
];

/** A tab is loaded, and reads its data, when it is first opened; then it stays, with what was typed and a reply that comes. The open conversation stays in the URL beside the other tabs. */
export function AgentTabs({ agent }: { agent: AgentRecord }) {
  const [current] = useQueryChoice('tab', ['conversations', 'documents', 'settings']);
  const [, change] = useQuery();
  const [seen, setSeen] = useState<readonly string[]>([current]);
  if (!seen.includes(current)) setSeen([...seen, current]);
  return (
    <Tabs
      value={current}
      onChange={(next) => change({ tab: next === null || next === 'conversations' ? undefined : next })}
      // The other mode ends effects, and a reply with them.
      keepMountedMode="display-none"
    >
      <Tabs.List mb="lg" aria-label="About this agent">
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
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
