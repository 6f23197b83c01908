import { describe, expect, it } from 'vitest';
import type { Sentiment } from '#contract/analysis/names.ts';
import { heaviest, overallCategories, overallScores, overallSentiment } from '#domain/analysis/parts.ts';

const parts = <Value>(...all: [value: Value, weight: number][]) => all.map(([value, weight]) => ({ value, weight }));

describe('a combined analysis', () => {
  it('has the language of most of the text, or the first one of equals', () => {
    expect(heaviest(parts(['en', 10], ['de', 30], ['en', 25]))).toBe('en');
    expect(heaviest(parts(['de', 10], ['en', 10]))).toBe('de');
    expect(heaviest([])).toBeUndefined();
  });

  it.each<[Partial<Record<Sentiment, number>>, Sentiment]>([
    [{ positive: 1 }, 'positive'],
    [{ neutral: 1 }, 'neutral'],
    [{ mixed: 1 }, 'mixed'],
    [{ positive: 9, negative: 1 }, 'positive'],
    [{ positive: 3, negative: 1 }, 'mixed'],
    [{ negative: 5, positive: 1 }, 'negative'],
    [{ positive: 2, neutral: 3 }, 'neutral'],
    [{ positive: 3, neutral: 2 }, 'positive'],
    [{ mixed: 1, positive: 9 }, 'positive'],
    [{ mixed: 2, neutral: 3 }, 'neutral'],
  ])('of parts with %j has the sentiment %s', (weights, expected) => {
    const all = Object.entries(weights) as [Sentiment, number][];
    expect(overallSentiment(parts(...all))).toBe(expected);
  });

  it('has the categories of at least a third of the text, longest first, or else the longest one', () => {
    expect(overallCategories(parts([['a', 'b'], 6], [['b', 'd'], 4], [['c'], 1]))).toEqual(['b', 'a', 'd']);
    expect(overallCategories(parts([['a'], 1], [['b'], 2], [[], 9]))).toEqual(['b']);
    expect(overallCategories(parts([[] as string[], 1]))).toEqual([]);
  });

  it('has the length-weighted mean of the encoder scores', () => {
    const scores = (yes: number) => [
      { label: 'yes', score: yes },
      { label: 'no', score: 1 - yes },
    ];
    expect(overallScores(parts([scores(0.2), 30], [scores(1), 10]))).toEqual([
      { label: 'no', score: expect.closeTo(0.6) },
      { label: 'yes', score: expect.closeTo(0.4) },
    ]);
  });
});
