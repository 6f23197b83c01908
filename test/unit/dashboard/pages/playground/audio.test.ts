import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketPeaks,
  formatClock,
  formatLength,
  progressClocks,
  waveformPath,
} from '../../../../../dashboard/src/pages/playground/audio/display.ts';
import {
  creditRefusal,
  currentIndex,
  fileProblem,
  isOpen,
  pollMs,
  timedSegments,
  uploadTypeOf,
} from '../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';

describe('the length of audio', () => {
  it.each([
    [0.42, '0.4 s', '0:00'],
    [4.96, '5.0 s', '0:05'],
    [59.94, '59.9 s', '1:00'],
    [59.96, '1:00', '1:00'],
    [327.6, '5:28', '5:28'],
    [328.4, '5:28', '5:28'],
  ])('displays %d s as %s, and as %s on the player', (seconds, length, clock) => {
    expect(formatLength(seconds)).toBe(length);
    expect(progressClocks(0, seconds)[1]).toBe(clock);
  });

  it('equals the position of the player only at the end', () => {
    expect(progressClocks(4.9599, 4.96)).toEqual(['0:05', '0:05']);
    expect(progressClocks(4.5, 4.96)).toEqual(['0:04', '0:05']);
    expect(progressClocks(0, 4.96)).toEqual(['0:00', '0:05']);
  });
});

it('a position in audio is rounded down to whole seconds', () => {
  expect([formatClock(0.99), formatClock(61.5), formatClock(-1)]).toEqual(['0:00', '1:01', '0:00']);
});

const samples = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });
const parts = fc.integer({ min: 1, max: 400 });
const loudest = (values: readonly number[]) => Math.max(...values.map(Math.abs));

describe('a waveform', () => {
  it('keeps the loudest peak for any number of parts, and has no part without samples', () => {
    const property = fc.property(samples, parts, (values, count) => {
      const peaks = bucketPeaks(values, count);
      expect(peaks).toHaveLength(Math.min(count, values.length));
      expect(loudest(peaks)).toBe(loudest(values));
    });
    fc.assert(property);
  });

  it('has the same height for quiet and for loud audio, and is a line for silence', () => {
    const bars = (values: number[]) => waveformPath(values, 3).split('M').slice(1);
    expect(bars([0.1, 1, 0.5])).toEqual(['0.5 45.2v9.6', '1.5 2.0v96.0', '2.5 26.0v48.0']);
    expect(bars([0.01, 0.1, 0.05])).toEqual(bars([0.1, 1, 0.5]));
    expect(bars([0, 0, 0])).toEqual(['0.5 48.5v3.0', '1.5 48.5v3.0', '2.5 48.5v3.0']);
  });
});

const small = 1000;
const big = 5_000_000;
const problem = (name: string, type: string, size: number) => fileProblem({ name, type, size });

describe('a chosen file', () => {
  it.each([
    ['letter.pdf', 'application/pdf'],
    ['letter.pdf', ''],
    ['letter.PDF', 'application/octet-stream'],
    ['letter', 'text/plain'],
    ['picture', 'image/png'],
  ])('is rejected at any size if it is not audio: %s (%s)', (name, type) => {
    const sentence = `“${name}” is not audio. Choose a file in one of the formats above.`;
    expect([small, big, 600_000_000].map((size) => problem(name, type, size))).toEqual(Array(3).fill(sentence));
  });

  it.each([
    ['speech.mp3', 'application/pdf'],
    ['speech.mp3', ''],
    ['recording', 'audio/webm;codecs=opus'],
    ['speech.ogg', 'application/ogg'],
  ])('is accepted at any size with an audio name or type: %s (%s)', (name, type) => {
    expect([problem(name, type, small), problem(name, type, big)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['speech', ''],
    ['speech.amr', 'audio/amr'],
    ['film.avi', 'video/x-msvideo'],
    ['data.bin', 'application/octet-stream'],
  ])('is accepted with an unknown type only up to the size of one request: %s (%s)', (name, type) => {
    expect(problem(name, type, small)).toBeUndefined();
    expect(problem(name, type, big)).toMatch(/^Unknown file format/);
  });

  it('is rejected if it is empty or one byte too large, with both sizes in MB', () => {
    expect(problem('speech.mp3', 'audio/mpeg', 0)).toBe('The file is empty.');
    expect(problem('speech.mp3', 'audio/mpeg', 500_000_000)).toBeUndefined();
    expect(problem('speech.mp3', 'audio/mpeg', 500_000_001)).toBe(
      'The file is 500.1 MB; uploads are limited to 500 MB. Choose a shorter file, or one with a lower bit rate.',
    );
  });
});

describe('an upload', () => {
  it("is refused with the service's message if the balance is certainly too low", () => {
    const refusal = creditRefusal(32, 331);
    expect([refusal?.code, refusal?.status]).toEqual(['INSUFFICIENT_CREDITS', 402]);
    expect(refusal?.message).toBe('This call needs up to 33.1 credits; you have 32 left.');
  });

  it('starts if a fraction of a credit, which the balance does not show, may cover the cost', () => {
    expect([creditRefusal(33, 331), creditRefusal(32, 329), creditRefusal(0, 9)]).toEqual(Array(3).fill(undefined));
    expect([creditRefusal(32, 330), creditRefusal(0, 10)].map((refusal) => refusal?.code)).toEqual(
      Array(2).fill('INSUFFICIENT_CREDITS'),
    );
  });

  it('of unknown length is refused only if the balance is 0', () => {
    expect(creditRefusal(0, undefined)?.message).toMatch(/^This call needs credits; you have 0 left\./);
    expect(creditRefusal(1, undefined)).toBeUndefined();
  });

  it('is never refused if credits are unlimited', () => {
    expect([creditRefusal(-1, 86_400), creditRefusal(100_000_000, undefined)]).toEqual([undefined, undefined]);
  });
});

it.each([
  ['speech.MP3', '', 'audio/mpeg'],
  ['speech.wav', 'audio/x-wav', 'audio/wav'],
  ['speech.m4a', 'audio/x-m4a', 'audio/mp4'],
  ['talk.mkv', 'video/x-matroska', 'audio/webm'],
  ['recording', 'audio/webm;codecs=opus', 'audio/webm'],
  ['speech.toString', '', undefined],
  ['letter.txt', 'text/plain', undefined],
])('the media type of an upload of %s (%s) is %s', (name, type, expected) => {
  expect(uploadTypeOf({ name, type })).toBe(expected);
});

describe('a transcription job', () => {
  it.each(['completed', 'failed', 'expired'] as const)('is not polled once it is %s', (status) => {
    expect([isOpen({ status }), pollMs({ status }, 1)]).toEqual([false, false]);
  });

  it('is polled at growing intervals, for about the eight hours that it may run', () => {
    const waits = Array.from({ length: 5000 }, (_, reads) => pollMs({ status: 'running' }, reads));
    expect(waits.slice(0, 30)).toEqual(Array(30).fill(1000));
    expect(new Set(waits)).toEqual(new Set([1000, 3000, 10_000, false]));
    const seconds = waits.reduce<number>((sum, wait) => sum + Number(wait) / 1000, 0);
    expect(seconds).toBeGreaterThan(7.25 * 3600);
    expect(seconds).toBeLessThan(9 * 3600);
  });
});

const word = (start: number, text: string) => ({ start, end: start + 0.4, word: text });
const wordsOf = (...input: Parameters<typeof timedSegments>) =>
  timedSegments(...input).map(({ words }) => words.map((one) => one.word).join(' '));

const segments = [
  { start: 0, end: 1.2, text: 'Good morning.' },
  { start: 1.2, end: 3, text: 'The river is quiet.' },
];

describe('the timed segments', () => {
  it('contain each word once, even if times of segments and words are rounded differently', () => {
    const words = [word(0, 'Good'), word(0.5, 'morning.'), word(1.18, 'The'), word(2, 'river'), word(3.4, 'is')];
    expect(wordsOf(segments, words)).toEqual(['Good morning.', 'The river is']);
    expect(wordsOf(segments, [])).toEqual(['', '']);
  });

  it('are one segment if only words have times, and none if nothing has', () => {
    expect(timedSegments([], [word(1, 'Good'), word(2, 'day')])).toMatchObject([
      { start: 1, end: 2.4, text: 'Good day' },
    ]);
    expect(timedSegments([], [])).toEqual([]);
  });

  it('are current between start and end, but not in a pause', () => {
    const spans = [word(0, 'Good'), word(1, 'day')];
    expect([0, 0.2, 0.5, 1, 1.39, 1.5].map((at) => currentIndex(spans, at))).toEqual([0, 0, -1, 1, 1, -1]);
    expect(currentIndex([], 1)).toBe(-1);
  });
});
