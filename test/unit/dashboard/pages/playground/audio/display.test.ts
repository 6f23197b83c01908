import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketPeaks,
  formatClock,
  formatLength,
  progressClocks,
  waveformPath,
} from '../../../../../../dashboard/src/pages/playground/audio/display.ts';

describe('the length of audio', () => {
  it.each([
    [0.42, '0.4 s', '0:00'],
    [4.96, '5.0 s', '0:05'],
    [59.94, '59.9 s', '1:00'],
    [59.96, '1:00', '1:00'],
    [327.6, '5:28', '5:28'],
    [328.4, '5:28', '5:28'],
  ])('of %d s is displayed as %s, and as %s on the player', (seconds, length, clock) => {
    expect(formatLength(seconds)).toBe(length);
    expect(progressClocks(0, seconds)[1]).toBe(clock);
  });

  it('equals the position of a player only at its end', () => {
    expect(progressClocks(4.9599, 4.96)).toEqual(['0:05', '0:05']);
    expect(progressClocks(4.5, 4.96)).toEqual(['0:04', '0:05']);
    expect(progressClocks(0, 4.96)).toEqual(['0:00', '0:05']);
  });
});

it('rounds a position in audio down to whole seconds', () => {
  expect([formatClock(0.99), formatClock(61.5), formatClock(-1)]).toEqual(['0:00', '1:01', '0:00']);
});

const samples = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });
const parts = fc.integer({ min: 1, max: 400 });
const loudest = (values: readonly number[]) => Math.max(...values.map(Math.abs));

describe('a waveform', () => {
  it('keeps the loudest peak for any number of parts, and has no part without samples', () => {
    fc.assert(
      fc.property(samples, parts, (values, count) => {
        const peaks = bucketPeaks(values, count);
        expect(peaks).toHaveLength(Math.min(count, values.length));
        expect(loudest(peaks)).toBe(loudest(values));
      }),
    );
  });

  it('has the same height for quiet and loud audio, and is a line for silence', () => {
    const bars = (values: number[]) => waveformPath(values, 3).split('M').slice(1);
    expect(bars([0.1, 1, 0.5])).toEqual(['0.5 45.2v9.6', '1.5 2.0v96.0', '2.5 26.0v48.0']);
    expect(bars([0.01, 0.1, 0.05])).toEqual(bars([0.1, 1, 0.5]));
    expect(bars([0, 0, 0])).toEqual(['0.5 48.5v3.0', '1.5 48.5v3.0', '2.5 48.5v3.0']);
  });
});
