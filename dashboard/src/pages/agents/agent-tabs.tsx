import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery, useQueryChoice } from '../../lib/use-query.ts';
import type { AgentRecord } from './agent.ts';
import { ConversationsTab } from './conversations/conversations-tab.tsx';
import { DocumentsTab } from './documents/documents-tab.tsx';
import { SettingsTab } from './editor/settings-tab.tsx';

const tabs: readonly { id: string; title: string; content: (agent: AgentRecord) => ReactNode }[] = [
  { id: 'conversations', title: 'Conversations', content: (agent) => <ConversationsTab agent={agent} /> },
  { id: 'documents', title: 'Documents', content: (agent) => <DocumentsTab agent={agent} /> },
  { id: 'settings', title: 'Settings', content: (agent) => <SettingsTab agent={agent} /> },
];

/** A tab reads its data when it is opened. The open conversation stays in the URL beside the other tabs. */
export function AgentTabs({ agent }: { agent: AgentRecord }) {
  const [tab] = useQueryChoice('tab', ['conversations', 'documents', 'settings']);
  const [, change] = useQuery();
  return (
    <Tabs
      value={tab}
      onChange={(next) => change({ tab: next === null || next === 'conversations' ? undefined : next })}
      keepMounted={false}
    >
      <Tabs.List mb="lg" aria-label="About this agent">
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, content }) => (
        <Tabs.Panel key={id} value={id}>
          {content(agent)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
