import type { Sentiment } from '#contract/analysis/names.ts';
import type { Label } from '../text-analyzer.ts';

/** What was found in a part of a text, which counts as its length does. */
export interface Weighted<Value> {
  readonly value: Value;
  readonly weight: number;
}

/** The label of most of the text; of equal ones the first. */
export function heaviest<Name extends string>(labels: readonly Weighted<Name>[]): Name | undefined {
  return sorted(weights(labels))[0]?.[0];
}

/**
 * The mood of a text by those of its parts: mixed where a quarter or more of what is not neutral is positive and as much negative, and that
 * is no small part of the whole; else what most of it is.
 */
export function overallSentiment(parts: readonly Weighted<Sentiment>[]): Sentiment {
  const by = weights(parts);
  const of = (name: Sentiment): number => by.get(name) ?? 0;
  const [positive, negative] = [of('positive') + of('mixed') / 2, of('negative') + of('mixed') / 2];
  const moved = positive + negative;
  if (moved < of('neutral') || moved === 0) return 'neutral';
  if (Math.min(positive, negative) >= moved / 4) return 'mixed';
  return positive > negative ? 'positive' : 'negative';
}

/** Of what parts were put into, the labels that a third or more of the text has, the heaviest first; the heaviest where none has. */
export function overallCategories(parts: readonly Weighted<readonly string[]>[]): string[] {
  const by = sorted(weights(parts.flatMap(({ value, weight }) => value.map((label) => ({ value: label, weight })))));
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const common = by.filter(([, weight]) => weight >= whole / 3);
  return (common.length > 0 ? common : by.slice(0, 1)).map(([label]) => label);
}

/** The mean of the scores that encoders have given to the parts, the highest first. */
export function overallScores<Name extends string>(
  parts: readonly Weighted<readonly Label<Name>[]>[],
): readonly Label<Name>[] {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
  const shares = parts.flatMap(({ value, weight }) =>
    value.map(({ label, score }) => ({ value: label, weight: (score ?? 0) * (weight / whole) })),
  );
  return sorted(weights(shares)).map(([label, score]) => ({ label, score: Math.min(score, 1) }));
}

function weights<Name extends string>(labels: readonly Weighted<Name>[]): ReadonlyMap<Name, number> {
  const by = new Map<Name, number>();
  for (const { value, weight } of labels) by.set(value, (by.get(value) ?? 0) + weight);
  return by;
}

const sorted = <Name extends string>(by: ReadonlyMap<Name, number>) =>
  [...by].toSorted(([, one], [, other]) => other - one);
