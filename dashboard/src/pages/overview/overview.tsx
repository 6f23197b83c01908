import { SimpleGrid, Stack } from '@mantine/core';
import { useMe } from '../../api/reads.ts';
import { Page } from '../../components/page.tsx';
import { ActivityPanel } from './activity-panel.tsx';
import { Attention } from './attention.tsx';
import { CreditsPanel } from './credits-panel.tsx';
import { LazyFirstSteps } from './first-steps/lazy-first-steps.tsx';
import css from './overview.module.css';
import { PlanPanel } from './plan-panel.tsx';

export default function OverviewPage() {
  const { data: me } = useMe();
  return (
    <Page title={me ? `Hello, ${me.name}` : 'Overview'} lead="Account summary">
      <Stack gap="lg">
        <LazyFirstSteps />
        <Attention />
        <div className={css.top}>
          <CreditsPanel />
          <PlanPanel />
        </div>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ActivityPanel measure="calls" />
          <ActivityPanel measure="credits" />
        </SimpleGrid>
      </Stack>
    </Page>
  );
}
