import { useMemo } from 'react';
import { LazyDayChart, Legend } from '../../components/lazy-day-chart.tsx';
import { formatExact } from '../../lib/format.ts';
import { type Measure, sum, type Total } from '../../lib/usage.ts';

interface UsageChartProps {
  readonly days: readonly string[];
  readonly totals: readonly Total[];
  readonly measure: Measure;
  /** One color for each total instead of one for all. */
  readonly isSplit: boolean;
}

const maxSeries = 5;

/** Shows the largest totals in a color each, and the others combined. */
export function UsageChart({ days, totals, measure, isSplit }: UsageChartProps) {
  const series = useMemo(() => {
    const combined = (name: string, some: readonly Total[]) => ({
      name,
      values: days.map((_, index) => sum(some.map(({ perDay }) => perDay[measure][index] ?? 0))),
    });
    if (!isSplit) return [combined('All calls', totals)];
    const rest = totals.slice(maxSeries);
    return [
      ...totals.slice(0, maxSeries).map((total) => combined(total.name, [total])),
      ...(rest.length > 0 ? [combined('Others', rest)] : []),
    ];
  }, [days, totals, measure, isSplit]);
  const reading = sum(totals.flatMap(({ perDay }) => perDay[measure]));

  return (
    <>
      <LazyDayChart
        days={days}
        series={series}
        unit={measure}
        height={240}
        label={`${formatExact(reading)} ${measure} in ${days.length} days; the table below has the numbers`}
      />
      {isSplit && <Legend names={series.map(({ name }) => name)} />}
    </>
  );
}
