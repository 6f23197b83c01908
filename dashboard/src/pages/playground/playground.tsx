import { msg, t } from '@lingui/core/macro';
import { isSold, type Service } from '#contract/offered-services.ts';
import { LazyTabs, lazyTab } from '../../components/lazy-tabs.tsx';
import { Page } from '../../components/page.tsx';
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

/** The texts of the first tab are loaded with the page. */
const tabs = [
  lazyTab('chat', msg`Chat`, async () => (await import('./chat/chat-tab.tsx')).ChatTab),
  lazyTab(
    'completion',
    msg`Completion`,
    withTexts('pages/playground/completion-tab', async () => (await import('./completion-tab.tsx')).CompletionTab),
  ),
  lazyTab(
    'embeddings',
    msg`Embeddings`,
    withTexts('pages/playground/embeddings-tab', async () => (await import('./embeddings-tab.tsx')).EmbeddingsTab),
  ),
  lazyTab(
    'analyze',
    msg`Text analysis`,
    withTexts('pages/playground/analysis-tab', async () => (await import('./analysis-tab.tsx')).AnalysisTab),
  ),
  lazyTab(
    'translate',
    msg`Translation`,
    withTexts('pages/playground/translate-tab', async () => (await import('./translate-tab.tsx')).TranslateTab),
  ),
  lazyTab(
    'speech',
    msg`Text-to-speech`,
    withTexts('pages/playground/audio/speech-tab', async () => (await import('./audio/speech-tab.tsx')).SpeechTab),
  ),
  lazyTab(
    'transcription',
    msg`Transcription`,
    withTexts('pages/playground/audio/transcription-tab', async () => {
      const { TranscriptionTab } = await import('./audio/transcription-tab.tsx');
      return TranscriptionTab;
    }),
  ),
].filter(({ id }) => isSold[services[id]]);

export default function PlaygroundPage() {
  return (
    <Page
      title={t`Playground`}
      lead={t`Calls spend your credits and use a temporary API key that is revoked when you sign out.`}
    >
      <LazyTabs label={t`Endpoint`} tabs={tabs} view={{}} />
    </Page>
  );
}
