import { Tabs } from '@mantine/core';
import { Page } from '../../components/page.tsx';
import { ChatTab } from './chat-tab.tsx';
import { CompletionTab } from './completion-tab.tsx';
import { EmbeddingsTab } from './embeddings-tab.tsx';
import { TranslateTab } from './translate-tab.tsx';

const tabs = [
  { id: 'chat', title: 'Chat', tab: <ChatTab /> },
  { id: 'completion', title: 'Completion', tab: <CompletionTab /> },
  { id: 'embeddings', title: 'Embeddings', tab: <EmbeddingsTab /> },
  { id: 'translate', title: 'Translate', tab: <TranslateTab /> },
];

/** Tabs stay as they are while one looks at another. */
export default function PlaygroundPage() {
  return (
    <Page
      title="Playground"
      lead="Try the models. Calls spend your credits and use a temporary API key, which is revoked when you sign out."
    >
      <Tabs defaultValue="chat">
        <Tabs.List mb="lg" aria-label="Endpoint">
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, tab }) => (
          <Tabs.Panel key={id} value={id}>
            {tab}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
