import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtStop, StopCutter } from '#domain/inference/model-stream.ts';
import { processorMs } from '#test/attacks/hostile-texts.ts';

/** Few letters, so that stop sequences, their prefixes and overlaps are frequent, plus surrogate pairs. */
const letters = fc.constantFrom('a', 'b', 'ab', '\n', '🎉', 'é');
const text = (constraints: object) => fc.array(letters, constraints).map((pieces) => pieces.join(''));
const stops = fc.array(text({ minLength: 1, maxLength: 5 }), { maxLength: 4 });

/** The text in chunks cut anywhere, even within a character. */
const pieces = text({ maxLength: 30 }).chain((whole) =>
  fc.array(fc.nat(whole.length)).map((at) => {
    const cuts = [0, ...at.toSorted((one, other) => one - other)];
    return cuts.map((from, index) => whole.slice(from, cuts[index + 1]));
  }),
);

function inPieces(all: readonly string[], sequences: readonly string[]) {
  const cutter = new StopCutter(sequences);
  let passed = '';
  for (const piece of all) {
    const { text, stopped } = cutter.push(piece);
    passed += text;
    if (stopped) return { text: passed + cutter.rest(), stopped };
  }
  return { text: passed + cutter.rest(), stopped: false };
}

describe('a text with stop sequences', () => {
  it.each([
    ['one two', ['two'], 'one ', true],
    ['one two', ['three'], 'one two', false],
    ['one two', [], 'one two', false],
    ['stop', ['stop'], '', true],
    // The first complete sequence ends the text, not the first to start.
    ['xabcd', ['abcd', 'bc'], 'xa', true],
    // If two sequences are complete at the same time, both are removed.
    ['xabc', ['c', 'abc'], 'x', true],
    ['aab', ['ab'], 'a', true],
    ['今日は。明日', ['。'], '今日は', true],
  ])('%j with %j is cut to %j', (whole, sequences, cut, stopped) => {
    expect(cutAtStop(whole, sequences)).toEqual({ text: cut, stopped });
  });

  it('is cut at the same place, however it is chunked', () => {
    const property = fc.property(pieces, stops, (all, sequences) => {
      expect(inPieces(all, sequences)).toEqual(cutAtStop(all.join(''), sequences));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('is held back only while it may be the start of a stop sequence', () => {
    const property = fc.property(pieces, stops, (all, sequences) => {
      const cutter = new StopCutter(sequences);
      let given = '';
      let passed = '';
      for (const piece of all) {
        const { text, stopped } = cutter.push(piece);
        given += piece;
        passed += text;
        if (stopped) return;
        const held = given.slice(passed.length);
        expect(given).toBe(passed + held);
        expect(held === '' || sequences.some((stop) => stop !== held && stop.startsWith(held))).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('is cut within a second even if 100,000 characters repeat the start of a stop sequence', async () => {
    const took = await processorMs(() => {
      const cutter = new StopCutter(['a'.repeat(20_000)]);
      for (let piece = 0; piece < 25_000; piece += 1) cutter.push(piece % 4999 === 0 ? 'b' : 'aaaa');
    });
    expect(took).toBeLessThan(1000);
  });
});
