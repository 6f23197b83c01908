import { Skeleton, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useUsage } from '../../api/reads.ts';
import { LazyDayChart } from '../../components/charts/lazy-day-chart.tsx';
import { PlaygroundLink } from '../../components/elements/playground-link.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNotice } from '../../components/feedback/error-notice.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { count, creditCount, formatAbout } from '../../lib/format.ts';
import { daysBetween, type Measure, sum, totalsBy } from '../../lib/usage.ts';
import css from './overview.module.css';

const titles: Readonly<Record<Measure, string>> = { calls: 'Calls', credits: 'Credits spent' };
const height = 170;

/** The last 30 days. */
export function ActivityPanel({ measure }: { measure: Measure }) {
  const { data, error, refetch } = useUsage('service');
  const chart = useMemo(() => {
    if (!data) return undefined;
    const days = daysBetween(data.from, data.to);
    const [all] = totalsBy(data.days, days, () => titles[measure]);
    return { days, series: all ? [{ name: all.name, values: all.perDay[measure] }] : [] };
  }, [data, measure]);
  const total = sum(chart?.series[0]?.values ?? []);
  const reading = measure === 'calls' ? count(total, 'call') : creditCount(total, formatAbout);

  return (
    <Panel
      title={titles[measure]}
      aside={
        <Text size="sm" c="dimmed">
          last 30 days
        </Text>
      }
    >
      <div className={css.figure}>{data ? reading : <Skeleton height={24} width={110} my={7} />}</div>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!chart && !error && <Skeleton height={height} radius="md" />}
      {chart?.series.length === 0 && (
        <div style={{ minHeight: height }}>
          <Empty icon="usage" title="No data yet" action={<PlaygroundLink />} />
        </div>
      )}
      {chart && chart.series.length > 0 && (
        <LazyDayChart {...chart} height={height} unit={measure} label={`${reading} in the last 30 days, per day`} />
      )}
    </Panel>
  );
}
