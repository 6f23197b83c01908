import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkBytes, chunksOf, minChunksOf } from '#domain/agents/indexing.ts';

/** Of every script and width: words, white space and ends of sentences, combining marks, pairs and sequences of emoji. */
const pieces = [
  ['a', 'Brücke', '日本語', 'ภาษาไทย', 'हिन्दी', 'عربي', '👩‍👩‍👧', '🏳️‍🌈', '🌊', 'e\u0301\u0323', '한글', 'ﬁ', '\u{10348}'],
  [' ', '\n\n', '. ', '! ', '。', '\t', '\u00a0', '\u3000', '-', '…'],
].flat();
const text = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 120 })), { minLength: 1, maxLength: 60 })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''));

const pointsOf = (value: string): string[] => Array.from(value);
const isSpace = (value: string): boolean => !/\S/.test(value);

describe('the chunks of a text', () => {
  it('are at least as many as the bound computed without cutting', () => {
    fc.assert(
      fc.property(text, (value) => {
        fc.pre(!isSpace(value));
        expect(minChunksOf(value)).toBeLessThanOrEqual(chunksOf(value).length);
      }),
    );
    expect(minChunksOf('Word '.repeat(10_000))).toBe(40);
  });

  it('are its slices at their offsets in code points, in order, and leave nothing out but white space', () => {
    fc.assert(
      fc.property(text, (value) => {
        const points = pointsOf(value);
        const chunks = chunksOf(value);
        let at = 0;
        for (const { start, end, text: passage } of chunks) {
          expect(isSpace(points.slice(at, start).join(''))).toBe(true);
          expect(points.slice(start, end).join('')).toBe(passage);
          expect(start).toBeGreaterThanOrEqual(at);
          at = end;
        }
        expect(isSpace(points.slice(at).join(''))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are of at most 1,000 bytes, none empty, and never with half of a character', () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const { text: passage } of chunksOf(value)) {
          expect(Buffer.byteLength(passage)).toBeLessThanOrEqual(chunkBytes);
          expect([passage.trim(), passage.isWellFormed()]).toEqual([passage, true]);
          expect(passage).not.toBe('');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never begin with the mark of a letter that the one before ends with', () => {
    const letter = fc.tuple(
      fc.constantFrom('a', 'ක', 'ж', 'é'),
      fc.constantFrom('', '\u0301', '\u0323\u0302', '\u200d\u0301'),
    );
    const marked = fc
      .array(letter, { minLength: 600, maxLength: 1500 })
      .map((letters) => letters.map((parts) => parts.join('')).join(''));
    fc.assert(
      fc.property(marked, (value) => {
        for (const { text: passage } of chunksOf(value)) expect(passage).not.toMatch(/^[\p{M}\u200d]/u);
      }),
      { numRuns: 100 },
    );
  });

  it('are cut between the marks of a letter only where these alone are longer than a chunk', () => {
    const chunks = chunksOf(`a${'\u0301'.repeat(2000)}`);
    expect(chunks.length).toBe(5);
    expect(chunks.at(-1)?.end).toBe(2001);
  });

  it('end where sentences do', () => {
    const sentence = 'The office opens at nine in the morning. ';
    const chunks = chunksOf(sentence.repeat(100));
    for (const { text: passage } of chunks) expect(passage).toMatch(/^The office .* morning\.$/);
    expect(chunks.length).toBeLessThan(6);
  });

  it('of white space alone are none', () => {
    expect([chunksOf(''), chunksOf(' \n\t\u3000')]).toEqual([[], []]);
  });
});
