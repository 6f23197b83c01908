import { describe, expect, it } from 'vitest';
import {
  currentIndex,
  timedSegments,
} from '../../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';

const word = (start: number, text: string) => ({ start, end: start + 0.4, word: text });
const wordsOf = (...input: Parameters<typeof timedSegments>) =>
  timedSegments(...input).map(({ words }) => words.map((one) => one.word).join(' '));

const segments = [
  { start: 0, end: 1.2, text: 'Good morning.' },
  { start: 1.2, end: 3, text: 'The river is quiet.' },
];

describe('segments with their words', () => {
  it('have each word once, by its time, also where model and word round differently', () => {
    const words = [word(0, 'Good'), word(0.5, 'morning.'), word(1.18, 'The'), word(2, 'river'), word(3.4, 'is')];
    expect(wordsOf(segments, words)).toEqual(['Good morning.', 'The river is']);
    expect(wordsOf(segments, [])).toEqual(['', '']);
  });

  it('are one where a model names words alone, and none where it names neither', () => {
    expect(timedSegments([], [word(1, 'Good'), word(2, 'day')])).toMatchObject([
      { start: 1, end: 2.4, text: 'Good day' },
    ]);
    expect(timedSegments([], [])).toEqual([]);
  });

  it('are current from their beginning to their end, and in a pause none is', () => {
    const spans = [word(0, 'Good'), word(1, 'day')];
    expect([0, 0.2, 0.5, 1, 1.39, 1.5].map((at) => currentIndex(spans, at))).toEqual([0, 0, -1, 1, 1, -1]);
    expect(currentIndex([], 1)).toBe(-1);
  });
});
