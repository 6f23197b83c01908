import type { InferOutput } from 'valibot';
import type { Usage } from '#contract/billing/credits.ts';
import { dayMs, dayOf } from '#contract/shared/time.ts';

type Days = InferOutput<typeof Usage>['days'];
export type UsageRow = Days[number];
export type Measure = 'calls' | 'credits' | 'tokens';

/** Returns every UTC day from `from` to `to`, inclusive. Responses omit days without calls. */
export function daysBetween(from: string, to: string): string[] {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, length) }, (_, index) => dayOf(Date.parse(from) + index * dayMs));
}

type TokenCounts = NonNullable<UsageRow['tokens']>;
const noTokens: TokenCounts = { input: 0, cached: 0, output: 0 };

export interface Total {
  readonly name: string;
  readonly calls: number;
  readonly credits: number;
  readonly tokens: TokenCounts;
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
      const perDay = (valueOf: (row: UsageRow) => number) =>
        days.map((day) => sum(own.filter(({ date }) => date === day).map(valueOf)));
      const tokens = (kind: keyof TokenCounts) => sum(own.map((row) => (row.tokens ?? noTokens)[kind]));
      return {
        name,
        calls: sum(own.map(({ calls }) => calls)),
        credits: sum(own.map(({ credits }) => credits)),
        tokens: { input: tokens('input'), cached: tokens('cached'), output: tokens('output') },
        perDay: {
          calls: perDay(({ calls }) => calls),
          credits: perDay(({ credits }) => credits),
          tokens: perDay(({ tokens: { input, output } = noTokens }) => input + output),
        },
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
