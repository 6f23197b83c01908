import { Tabs } from '@mantine/core';
import { Page } from '../../components/page.tsx';
import { useQueryChoice } from '../../lib/use-query.ts';
import { ChatTab } from './chat/chat-tab.tsx';
import { CompletionTab } from './completion-tab.tsx';
import { EmbeddingsTab } from './embeddings/embeddings-tab.tsx';
import { TranslateTab } from './translate-tab.tsx';

const tabs = [
  { id: 'chat', title: 'Chat', content: <ChatTab /> },
  { id: 'completion', title: 'Completion', content: <CompletionTab /> },
  { id: 'embeddings', title: 'Embeddings', content: <EmbeddingsTab /> },
  { id: 'translate', title: 'Translate', content: <TranslateTab /> },
];

/** Tabs stay as they are while one looks at another. */
export default function PlaygroundPage() {
  const [tab, setTab] = useQueryChoice('tab', ['chat', 'completion', 'embeddings', 'translate']);
  return (
    <Page
      title="Playground"
      lead="Try the models. Calls spend your credits and use a temporary API key, which is revoked when you sign out."
    >
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List mb="lg" aria-label="Endpoint">
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, content }) => (
          <Tabs.Panel key={id} value={id}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
