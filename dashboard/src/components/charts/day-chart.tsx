import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { chartOptions, type DayChartData, stacked } from './day-chart-options.ts';
import css from './day-chart.module.css';

interface DayChartProps extends DayChartData {
  /** What the chart shows, in a sentence, for those who do not see it. */
  readonly label: string;
  readonly height: number;
}

/** Bars per day, one color per series, the series on top of each other. */
export default function DayChart({ label, height, days, series, unit }: DayChartProps) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');

  useEffect(() => {
    if (!place.current || !tip.current || width === 0) return undefined;
    const options = chartOptions({ days, series, unit }, { width, height }, tip.current);
    const chart = new UPlot(options, stacked(days, series), place.current);
    return () => chart.destroy();
  }, [width, height, days, series, unit, scheme]);

  return (
    <div ref={ref} className={css.chart} style={{ height }} role="img" aria-label={label}>
      <div ref={place} />
      <div ref={tip} className={css.tip} hidden />
    </div>
  );
}
