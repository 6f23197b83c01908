import './base.css';
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchOtherTabs } from './api/account.ts';
import { queryClient, watchReturn } from './api/query-client.ts';
import { App, preload } from './app.tsx';
import { ErrorBoundary, Failure, TextsFailure } from './components/boundary.tsx';
import { Notifications } from './components/notifications.tsx';
import { loadTexts } from './lib/texts.ts';
import { cssVariables, theme } from './theme.ts';

const fallback = 'en-GB';
const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');

repairLanguage();
preload(window.location.pathname);
const shown = createRoot(root);
watchOtherTabs(() => shown.unmount());
watchReturn();

const hasTexts = await loadTexts('main').then(
  () => true,
  () => false,
);
shown.render(<StrictMode>{hasTexts ? <Dashboard /> : <TextsFailure />}</StrictMode>);

function Dashboard() {
  return (
    <ErrorBoundary fallback={(error) => <Failure error={error} />}>
      <DirectionProvider initialDirection={document.dir === 'rtl' ? 'rtl' : 'ltr'} detectDirection={false}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          deduplicateCssVariables={false}
          defaultColorScheme="auto"
          colorSchemeManager={localStorageColorSchemeManager()}
        >
          <QueryClientProvider client={queryClient}>
            <Notifications />
            <App />
          </QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </ErrorBoundary>
  );
}

/**
 * Replaces a language that `Intl` rejects, such as "en-US@posix" or "C", which some systems set. Libraries that load
 * later pass `navigator.language` to `Intl` and would throw.
 */
function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales([...navigator.languages, navigator.language]);
  } catch {
    Object.defineProperty(navigator, 'language', { value: fallback, configurable: true });
    Object.defineProperty(navigator, 'languages', { value: [fallback], configurable: true });
  }
}
