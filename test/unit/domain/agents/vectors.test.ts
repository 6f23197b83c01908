import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packVectors, scoresOf, unit } from '#domain/agents/vector-index.ts';

const dimensions = 67;
const vector = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
  minLength: dimensions,
  maxLength: dimensions,
});

const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
const cosine = (one: readonly number[], other: readonly number[]): number =>
  dot(one, other) / ((Math.hypot(...one) || 1) * (Math.hypot(...other) || 1));

describe('packed vectors', () => {
  it('score as their cosine similarity does, to 0.01 and a half of a byte’s step', () => {
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 5 }), vector, (vectors, query) => {
        const scores = scoresOf(packVectors(vectors), vectors.length, unit(query));
        expect(scores).toHaveLength(vectors.length);
        for (const [at, one] of vectors.entries())
          expect(Math.abs((scores[at] ?? 9) - cosine(one, query))).toBeLessThan(0.01 + Math.sqrt(dimensions) / 254);
      }),
    );
  });

  it('score the same wherever their bytes lie in a buffer', () => {
    const packed = packVectors([
      [1, 2, 3],
      [3, 2, 1],
    ]);
    const query = unit([1, 0, 0]);
    const expected = scoresOf(packed, 2, query);
    for (const offset of [0, 1, 2, 3]) {
      const moved = new Uint8Array(offset + packed.length + 5);
      moved.set(packed, offset);
      expect(scoresOf(moved.subarray(offset, offset + packed.length), 2, query)).toEqual(expected);
    }
  });

  it('of nothing but zeros score 0, and those of another length are refused', () => {
    expect([...scoresOf(packVectors([[0, 0]]), 1, unit([0, 0]))]).toEqual([0]);
    expect(() => scoresOf(packVectors([[1, 2]]), 1, unit([1, 2, 3]))).toThrow(RangeError);
    expect(() => packVectors([[1, 2], [1]])).toThrow(RangeError);
  });
});
