import { describe, expect, it } from 'vitest';
import { fileProblem } from '../../../../../../dashboard/src/pages/playground/audio/transcription-rules.ts';

const small = 1000;
const big = 5_000_000;
const problem = (name: string, type: string, size: number) => fileProblem({ name, type, size });

describe('a file', () => {
  it.each([
    ['letter.pdf', 'application/pdf'],
    ['letter.pdf', ''],
    ['letter.PDF', 'application/octet-stream'],
    ['letter', 'text/plain'],
    ['picture', 'image/png'],
  ])('that is known to be no audio, as %s (%s), is refused whatever its size', (name, type) => {
    const sentence = `“${name}” is not audio. Choose a file in one of the formats above.`;
    expect([small, big, 600_000_000].map((size) => problem(name, type, size))).toEqual(Array(3).fill(sentence));
  });

  it.each([
    ['speech.mp3', 'application/pdf'],
    ['speech.mp3', ''],
    ['recording', 'audio/webm;codecs=opus'],
    ['speech.ogg', 'application/ogg'],
  ])('with the name or type of audio, as %s (%s), is sent whatever its size', (name, type) => {
    expect([problem(name, type, small), problem(name, type, big)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['speech', ''],
    ['speech.amr', 'audio/amr'],
    ['film.avi', 'video/x-msvideo'],
    ['data.bin', 'application/octet-stream'],
  ])('of an unknown kind, as %s (%s), is sent, and uploaded under no type', (name, type) => {
    expect(problem(name, type, small)).toBeUndefined();
    expect(problem(name, type, big)).toMatch(/^Unknown file format/);
  });

  it('of no bytes, or of a byte too many, is refused with one unit in its sentence', () => {
    expect(problem('speech.mp3', 'audio/mpeg', 0)).toBe('The file is empty.');
    expect(problem('speech.mp3', 'audio/mpeg', 500_000_000)).toBeUndefined();
    expect(problem('speech.mp3', 'audio/mpeg', 500_000_001)).toBe(
      'The file is 500.1 MB; uploads are limited to 500 MB. Choose a shorter file, or one with a lower bit rate.',
    );
  });
});
