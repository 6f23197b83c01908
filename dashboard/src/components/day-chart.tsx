import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { dayOf } from '#contract/shared/time.ts';
import 'uplot/dist/uPlot.min.css';
import { formatAbout, formatCompact, formatDayMonth, formatExact } from '../lib/format.ts';
import { colorVariable } from '../lib/usage.ts';
import css from './day-chart.module.css';

interface DayChartProps extends DayChartData {
  /** Describes the chart in a sentence, for screen readers. */
  readonly label: string;
  readonly height: number;
}

/** Stacked bars per day, with one color per series. */
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

interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

interface DayChartData {
  /** UTC days as YYYY-MM-DD. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Unit of the values, for example "calls" or "credits". */
  readonly unit: string;
}

const valueOf = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

/** Start of a UTC day in Unix seconds, which uPlot requires. */
const secondsOf = (day = ''): number => Date.parse(day) / 1000;

/**
 * Adds the values of the series below to each series. The highest one comes first, so that lower ones are drawn over
 * it.
 */
function stacked(days: readonly string[], series: readonly Series[]): UPlot.AlignedData {
  const at = days.map(secondsOf);
  const sums = days.map(() => 0);
  const raised = series.map(({ values }) => values.map((value, index) => (sums[index] = (sums[index] ?? 0) + value)));
  return [at, ...raised.toReversed()];
}

function chartOptions(
  { days, series, unit }: DayChartData,
  size: { width: number; height: number },
  tip: HTMLElement,
): UPlot.Options {
  const axis = {
    stroke: valueOf('--mantine-color-dimmed'),
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
  };
  const bars = UPlot.paths.bars?.({ size: [0.72, 22], radius: 0.18 });

  function showTip(chart: UPlot): void {
    const { idx, left = 0 } = chart.cursor;
    const day = idx === null || idx === undefined ? undefined : days[idx];
    tip.hidden = day === undefined || left < 0;
    if (day === undefined || idx === null || idx === undefined) return;
    const lines = series.flatMap(({ name, values }) =>
      values[idx] ? [`${name}: ${(unit === 'tokens' ? formatExact : formatAbout)(values[idx])} ${unit}`] : [],
    );
    tip.textContent = [formatDayMonth(day), ...(lines.length > 0 ? lines : [`no ${unit}`])].join('\n');
    const edge = size.width - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(edge, left + 50))}px`;
  }

  return {
    ...size,
    legend: { show: false },
    padding: [12, 26, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { setScale: false } },
    scales: {
      // Half a day on each side of the days. uPlot's own range would be wider for a single day.
      x: { time: true, range: () => [secondsOf(days[0]) - 43_200, secondsOf(days.at(-1)) + 43_200] },
      y: { range: (_, __, high) => [0, Math.max(high * 1.08, 1)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        gap: 8,
        grid: { show: false },
        space: 64,
        splits: (_, __, low, high) => everyFewDays(days, low, high, size.width),
        values: (_, splits) => splits.map((seconds) => formatDayMonth(dayOf(seconds * 1000))),
      },
      {
        ...axis,
        size: 44,
        grid: { stroke: valueOf('--line'), width: 1 },
        space: 36,
        incrs: [
          1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8, 1e9, 1e10,
        ],
        values: (_, splits) => splits.map(formatCompact),
      },
    ],
    series: [
      {},
      ...series
        .map((_, index) => ({
          stroke: 'transparent',
          fill: valueOf(colorVariable(index)),
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        }))
        .toReversed(),
    ],
    hooks: { setCursor: [showTip] },
  };
}

/** Returns the days to label, as many as fit. */
function everyFewDays(days: readonly string[], low: number, high: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor(width / 80))));
  return days
    .toReversed()
    .filter((_, index) => index % step === 0)
    .map(secondsOf)
    .filter((at) => at >= low && at <= high)
    .toReversed();
}
