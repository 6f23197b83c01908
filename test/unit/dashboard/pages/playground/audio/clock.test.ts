import { describe, expect, it } from 'vitest';
import {
  formatClock,
  formatLength,
  progressClocks,
} from '../../../../../../dashboard/src/pages/playground/audio/display.ts';

describe('the length of audio', () => {
  it.each([
    [0.42, '0.4 s', '0:00'],
    [4.96, '5.0 s', '0:05'],
    [59.94, '59.9 s', '1:00'],
    [59.96, '1:00', '1:00'],
    [327.6, '5:28', '5:28'],
    [328.4, '5:28', '5:28'],
  ])('of %d s is rounded to %s, and on the player to %s', (seconds, length, clock) => {
    expect(formatLength(seconds)).toBe(length);
    expect(progressClocks(0, seconds)[1]).toBe(clock);
  });

  it('is the place of a player at its end, and no other', () => {
    expect(progressClocks(4.9599, 4.96)).toEqual(['0:05', '0:05']);
    expect(progressClocks(4.5, 4.96)).toEqual(['0:04', '0:05']);
    expect(progressClocks(0, 4.96)).toEqual(['0:00', '0:05']);
  });
});

it('a place in audio is the second that has begun', () => {
  expect([formatClock(0.99), formatClock(61.5), formatClock(-1)]).toEqual(['0:00', '1:01', '0:00']);
});
