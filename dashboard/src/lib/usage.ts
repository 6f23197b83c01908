import type { InferOutput } from 'valibot';
import type { Usage } from '#contract/billing/credits.ts';

type Days = InferOutput<typeof Usage>['days'];
export type UsageRow = Days[number];
export type Measure = 'calls' | 'credits';

const dayMs = 86_400_000;
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns every UTC day from `from` to `to`, inclusive. Responses omit days without calls. */
export function daysBetween(from: string, to: string): string[] {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, length) }, (_, index) => dayOf(Date.parse(from) + index * dayMs));
}

export interface Total {
  readonly name: string;
  readonly calls: number;
  readonly credits: number;
  /** Values by measure, one for each day in `days`. */
  readonly perDay: Readonly<Record<Measure, readonly number[]>>;
}

/** Sums rows by the name that `nameOf` returns, the largest first. */
export function totalsBy(
  rows: readonly UsageRow[],
  days: readonly string[],
  nameOf: (row: UsageRow) => string,
): Total[] {
  const groups = Map.groupBy(rows, nameOf);
  return [...groups]
    .map(([name, own]) => {
      const perDay = (measure: Measure) =>
        days.map((day) => sum(own.filter(({ date }) => date === day).map((row) => row[measure])));
      return {
        name,
        calls: sum(own.map(({ calls }) => calls)),
        credits: sum(own.map(({ credits }) => credits)),
        perDay: { calls: perDay('calls'), credits: perDay('credits') },
      };
    })
    .toSorted((one, other) => other.credits - one.credits || other.calls - one.calls);
}

/** Sums credits, rounded to six decimals to remove floating-point errors. */
export function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0) * 1e6) / 1e6;
}

const colors = 6;

/** The CSS variable, in base.css, with the color of a chart's series. */
export const colorVariable = (index: number): string => `--chart-${(index % colors) + 1}`;
