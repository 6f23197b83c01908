import './styles/mantine.css';
import './styles/base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchOtherTabs } from './api/account/account.ts';
import { queryClient, watchReturn } from './api/query-client.ts';
import { App, preload } from './app.tsx';
import { ErrorBoundary } from './components/feedback/error-boundary.tsx';
import { Failure } from './components/feedback/failure.tsx';
import { Notifications } from './components/feedback/notifications.tsx';
import { repairLanguage } from './lib/repair-language.ts';
import { cssVariables, theme } from './theme.ts';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');

repairLanguage();
preload(window.location.pathname);
const shown = createRoot(root);
watchOtherTabs(() => shown.unmount());
watchReturn();

shown.render(
  <StrictMode>
    <ErrorBoundary fallback={(error) => <Failure error={error} />}>
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
    </ErrorBoundary>
  </StrictMode>,
);
