import { describe, expect, it } from 'vitest';
import { isOpen, pollMs } from '../../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';
import { uploadTypeOf } from '../../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';

describe('the type that a file is uploaded as', () => {
  it.each([
    ['speech.MP3', '', 'audio/mpeg'],
    ['speech.wav', 'audio/x-wav', 'audio/wav'],
    ['speech.m4a', 'audio/x-m4a', 'audio/mp4'],
    ['talk.mkv', 'video/x-matroska', 'audio/webm'],
    ['recording', 'audio/webm;codecs=opus', 'audio/webm'],
    ['speech.toString', '', undefined],
    ['letter.txt', 'text/plain', undefined],
  ])('of %s (%s) is %s', (name, type, expected) => {
    expect(uploadTypeOf({ name, type })).toBe(expected);
  });
});

describe('a job', () => {
  it.each(['completed', 'failed', 'expired'] as const)('that is %s is read no more', (status) => {
    expect([isOpen({ status }), pollMs({ status }, 1)]).toEqual([false, false]);
  });

  it('that runs is read seldomer and seldomer, and for no longer than it may run', () => {
    const waits = Array.from({ length: 5000 }, (_, reads) => pollMs({ status: 'running' }, reads));
    expect(waits.slice(0, 30)).toEqual(Array(30).fill(1000));
    expect(new Set(waits)).toEqual(new Set([1000, 3000, 10_000, false]));
    const seconds = waits.reduce<number>((sum, wait) => sum + Number(wait) / 1000, 0);
    expect(seconds).toBeGreaterThan(7.25 * 3600);
    expect(seconds).toBeLessThan(9 * 3600);
  });
});
