import { Skeleton, Text } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import { orReload } from '../../lib/or-reload.ts';
import { ErrorBoundary } from '../feedback/error-boundary.tsx';

const DayChart = lazy(orReload(() => import('./day-chart.tsx')));

/** The chart, whose library comes when it is first needed; its place is kept meanwhile. */
export function LazyDayChart(props: ComponentProps<typeof DayChart>) {
  const noChart = (
    <Text size="sm" c="dimmed" role="alert" mih={props.height}>
      The chart could not be shown.
    </Text>
  );
  return (
    <ErrorBoundary fallback={() => noChart}>
      <Suspense fallback={<Skeleton height={props.height} radius="md" />}>
        <DayChart {...props} />
      </Suspense>
    </ErrorBoundary>
  );
}
