import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { useCredits, useMe } from '../../api/reads.ts';
import { Page } from '../../components/layout/page.tsx';
import { ActivityPanel } from './activity-panel.tsx';
import { Attention } from './attention.tsx';
import { CreditsPanel } from './credits-panel.tsx';
import { LazyFirstSteps } from './first-steps/lazy-first-steps.tsx';
import { useFirstSteps } from './first-steps/use-first-steps.ts';
import css from './overview.module.css';
import { PlanPanel } from './plan-panel.tsx';

export default function OverviewPage() {
  const { data: me } = useMe();
  const { state } = useFirstSteps();
  const { data: credits, error } = useCredits();
  const isPending = state === 'pending' || (credits === undefined && error === null);
  return (
    <Page title={me ? `Hello, ${me.name}` : 'Overview'} lead="Account summary">
      {isPending ? (
        <OverviewSkeleton />
      ) : (
        <Suspense fallback={<OverviewSkeleton />}>
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
        </Suspense>
      )}
    </Page>
  );
}

/** Until it is known what stands on top: shown later, it would move everything below. */
function OverviewSkeleton() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton height={290} radius="lg" />
      <Skeleton height={290} radius="lg" />
    </Stack>
  );
}
