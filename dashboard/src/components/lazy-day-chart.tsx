import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Skeleton, Text } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import { orReload } from '../lib/load.ts';
import { colorVariable } from '../lib/usage.ts';
import { ErrorBoundary } from './boundary.tsx';
import css from './day-chart.module.css';

const DayChart = lazy(orReload(() => import('./day-chart.tsx')));

/** A bar chart by day. Its library is loaded on demand, and a placeholder of the same height is shown until then. */
export function LazyDayChart(props: ComponentProps<typeof DayChart>) {
  const noChart = (
    <Text size="sm" c="dimmed" role="alert" mih={props.height}>
      <Trans>The chart could not be shown.</Trans>
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

/** The colors of a chart's series. */
export function Legend({ names }: { names: readonly string[] }) {
  return (
    <ul className={css.legend} aria-label={t`Legend`}>
      {names.map((name, index) => (
        <li key={name}>
          <i style={{ background: `var(${colorVariable(index)})` }} />
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}
