import { expect, it } from 'vitest';
import { ambient } from '#runtime/process.ts';

it('random bytes are never part of an earlier result, for sizes that do and do not divide the pool', () => {
  const sizes = Array.from({ length: 3000 }, (_, index) => [1, 16, 33, 4096, 5000][index % 5] ?? 1);
  const results = sizes.map((size) => ambient.random.bytes(size));
  expect(results.map(({ length }) => length)).toEqual(sizes);
  const byBuffer = Map.groupBy(results, ({ buffer }) => buffer);
  expect(byBuffer.size).toBeLessThan(results.length);
  for (const shared of byBuffer.values()) {
    const ranges = shared.map(({ byteOffset, length }) => ({ start: byteOffset, end: byteOffset + length }));
    const sorted = ranges.toSorted((one, other) => one.start - other.start);
    for (const [index, { end }] of sorted.entries())
      expect(sorted[index + 1]?.start ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(end);
  }
});
