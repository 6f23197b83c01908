import { useMemo } from 'react';
import css from '../../components/day-chart.module.css';
import { LazyDayChart } from '../../components/lazy-day-chart.tsx';
import { formatCredits } from '../../lib/format.ts';
import { seriesColour } from '../../lib/series-colour.ts';
import { type Measure, sum, type Total } from '../../lib/usage.ts';

interface UsageChartProps {
  readonly days: readonly string[];
  readonly totals: readonly Total[];
  readonly measure: Measure;
  /** One colour per total, rather than one for all. */
  readonly isSplit: boolean;
}

const most = 5;

/** The largest totals in a colour each, what is left in one more. */
export function UsageChart({ days, totals, measure, isSplit }: UsageChartProps) {
  const series = useMemo(() => {
    const together = (name: string, some: readonly Total[]) => ({
      name,
      values: days.map((_, index) => sum(some.map(({ perDay }) => perDay[measure][index] ?? 0))),
    });
    if (!isSplit) return [together('All calls', totals)];
    const rest = totals.slice(most);
    return [
      ...totals.slice(0, most).map((total) => together(total.name, [total])),
      ...(rest.length > 0 ? [together('Others', rest)] : []),
    ];
  }, [days, totals, measure, isSplit]);
  const reading = sum(totals.map((total) => total[measure]));

  return (
    <>
      <LazyDayChart
        days={days}
        series={series}
        unit={measure}
        height={240}
        label={`${formatCredits(reading)} ${measure} in ${days.length} days; the table below has the numbers`}
      />
      {isSplit && (
        <ul className={css.legend} aria-label="Colours of the chart">
          {series.map(({ name }, index) => (
            <li key={name}>
              <i style={{ background: seriesColour(index) }} />
              {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
