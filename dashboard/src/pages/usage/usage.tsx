import { Stack } from '@mantine/core';
import { Page } from '../../components/layout/page.tsx';
import { CallsPanel } from './calls-panel.tsx';
import { LedgerPanel } from './ledger-panel.tsx';

export default function UsagePage() {
  return (
    <Page title="Usage" lead="Charged calls and credit history">
      <Stack gap="lg">
        <CallsPanel />
        <LedgerPanel />
      </Stack>
    </Page>
  );
}
