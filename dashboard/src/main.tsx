import './styles/mantine.css';
import '@mantine/notifications/styles.css';
import './styles/base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchOtherTabs } from './api/account.ts';
import { queryClient, watchReturn } from './api/query-client.ts';
import { App } from './app.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Failure } from './components/failure.tsx';
import { repairLanguage } from './lib/repair-language.ts';
import { cssVariables, theme } from './theme.ts';

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no #root');

repairLanguage();
const shown = createRoot(root);
watchOtherTabs(() => shown.unmount());
watchReturn();

shown.render(
  <StrictMode>
    <ErrorBoundary fallback={(error) => <Failure error={error} />}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager()}
      >
        <QueryClientProvider client={queryClient}>
          <ModalsProvider modalProps={{ centered: true, radius: 'lg' }}>
            {/* One that waits for another to close is a message too late. */}
            <Notifications position="bottom-right" autoClose={5000} limit={10} pauseResetOnHover="notification" />
            <App />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </ErrorBoundary>
  </StrictMode>,
);
