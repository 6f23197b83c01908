import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Tabs } from '@mantine/core';
import { type ComponentType, Suspense, useEffect, useRef, useState } from 'react';
import { isSold, type Service } from '#contract/offered-services.ts';
import { Page } from '../../components/page.tsx';
import { useQueryChoice } from '../../lib/hooks.ts';
import { lazyComponent } from '../../lib/load.ts';
import { withTexts } from '../../lib/texts.ts';

/** The service that each tab calls. */
const services = {
  chat: 'chat',
  completion: 'text completion',
  embeddings: 'embeddings',
  analyze: 'text analysis',
  translate: 'translation',
  speech: 'speech',
  transcription: 'transcription',
} as const satisfies Readonly<Record<string, Service>>;
type TabId = keyof typeof services;

const tab = (id: TabId, title: MessageDescriptor, load: () => Promise<ComponentType>) => ({
  id,
  title,
  View: lazyComponent(load),
});

/** The texts of the first tab are loaded with the page. */
const tabs = [
  tab('chat', msg`Chat`, async () => (await import('./chat/chat-tab.tsx')).ChatTab),
  tab(
    'completion',
    msg`Completion`,
    withTexts('pages/playground/completion-tab', async () => (await import('./completion-tab.tsx')).CompletionTab),
  ),
  tab(
    'embeddings',
    msg`Embeddings`,
    withTexts('pages/playground/embeddings-tab', async () => (await import('./embeddings-tab.tsx')).EmbeddingsTab),
  ),
  tab(
    'analyze',
    msg`Text analysis`,
    withTexts('pages/playground/analysis-tab', async () => (await import('./analysis-tab.tsx')).AnalysisTab),
  ),
  tab(
    'translate',
    msg`Translation`,
    withTexts('pages/playground/translate-tab', async () => (await import('./translate-tab.tsx')).TranslateTab),
  ),
  tab(
    'speech',
    msg`Text-to-speech`,
    withTexts('pages/playground/audio/speech-tab', async () => (await import('./audio/speech-tab.tsx')).SpeechTab),
  ),
  tab(
    'transcription',
    msg`Transcription`,
    withTexts('pages/playground/audio/transcription-tab', async () => {
      const { TranscriptionTab } = await import('./audio/transcription-tab.tsx');
      return TranscriptionTab;
    }),
  ),
].filter(({ id }) => isSold[services[id]]);

const [firstTab = 'chat', ...otherTabs] = tabs.map(({ id }) => id);

/** Loads each tab on its first visit and keeps its state while another one is visible. */
export default function PlaygroundPage() {
  const [current, setCurrent] = useQueryChoice('tab', [firstTab, ...otherTabs]);
  const [seen, setSeen] = useState<readonly string[]>([current]);
  if (!seen.includes(current)) setSeen([...seen, current]);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On phones, the tabs do not fit in one line.
    list.current?.querySelector(`[data-tab="${current}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <Page
      title={t`Playground`}
      lead={t`Calls spend your credits and use a temporary API key that is revoked when you sign out.`}
    >
      {/* React's activity mode would end the calls, uploads and recordings of a hidden tab. */}
      <Tabs value={current} onChange={setCurrent} keepMountedMode="display-none">
        <Tabs.List ref={list} mb="lg" aria-label={t`Endpoint`}>
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id} data-tab={id}>
              {i18n._(title)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, View }) => (
          <Tabs.Panel key={id} value={id}>
            {seen.includes(id) && (
              <Suspense fallback={null}>
                <View />
              </Suspense>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
