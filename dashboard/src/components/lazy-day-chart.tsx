import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const DayChart = lazy(() => import('./day-chart.tsx'));

/** The chart, whose library comes when it is first needed; its place is kept meanwhile. */
export function LazyDayChart(props: ComponentProps<typeof DayChart>) {
  return (
    <Suspense fallback={<Skeleton height={props.height} radius="md" />}>
      <DayChart {...props} />
    </Suspense>
  );
}
