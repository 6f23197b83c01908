import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketPeaks, waveformPath } from '../../../../../../dashboard/src/pages/playground/audio/display.ts';

const samples = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });
const parts = fc.integer({ min: 1, max: 400 });
const loudest = (values: readonly number[]) => Math.max(...values.map(Math.abs));

describe('a waveform', () => {
  it('loses no peak, however few parts it has, and has no part without samples', () => {
    fc.assert(
      fc.property(samples, parts, (values, count) => {
        const peaks = bucketPeaks(values, count);
        expect(peaks).toHaveLength(Math.min(count, values.length));
        expect(loudest(peaks)).toBe(loudest(values));
      }),
    );
  });

  it('is as high for a whisper as for a shout, and a line for silence', () => {
    const bars = (values: number[]) => waveformPath(values, 3).split('M').slice(1);
    expect(bars([0.1, 1, 0.5])).toEqual(['0.5 45.2v9.6', '1.5 2.0v96.0', '2.5 26.0v48.0']);
    expect(bars([0.01, 0.1, 0.05])).toEqual(bars([0.1, 1, 0.5]));
    expect(bars([0, 0, 0])).toEqual(['0.5 48.5v3.0', '1.5 48.5v3.0', '2.5 48.5v3.0']);
  });
});
