import { describe, expect, it } from 'vitest';
import type { SpeechFormat } from '#contract/audio/speech.ts';
import { speechService } from '#domain/audio/speech.ts';

const notCalled = (): never => {
  throw new Error('the model was called');
};
/** A model that must not be called. */
const service = speechService({ speech: () => ({ prepare: notCalled, send: notCalled }) }, notCalled);
const order = (text: string, format: SpeechFormat, speed = 1, kind: 'json' | 'audio' = 'json') =>
  service.order({ text, voice: 'alloy', format, speed, model: 'svc-speech' }, kind);

describe('speech in a JSON response', () => {
  it.each<[string, string, SpeechFormat, number]>([
    ['4,096 letters as pcm', 'a'.repeat(4096), 'pcm', 1],
    ['4,096 letters as wav', 'a'.repeat(4096), 'wav', 1],
    ['1,000 letters as pcm at the lowest speed', 'a'.repeat(1000), 'pcm', 0.25],
  ])('is refused before it is generated if it cannot fit: %s', (_, text, format, speed) => {
    expect(() => order(text, format, speed)).toThrow(
      expect.objectContaining({ code: 'INVALID_FORMAT', message: expect.stringContaining('Send Accept: audio/*') }),
    );
  });

  it.each<[string, string, SpeechFormat, number]>([
    ['4,096 letters as mp3', 'a'.repeat(4096), 'mp3', 0.25],
    ['2,000 letters as pcm', 'a'.repeat(2000), 'pcm', 1],
    ['4,096 letters as pcm at the highest speed', 'a'.repeat(4096), 'pcm', 4],
    ['4,096 pauses as wav', '.'.repeat(4096), 'wav', 0.25],
  ])('is accepted if it may fit: %s', (_, text, format, speed) => {
    expect(order(text, format, speed).characters).toBe(text.length);
  });

  it('has no limit if raw bytes are requested', () => {
    expect(order('a'.repeat(4096), 'pcm', 0.25, 'audio').stream).toBe(true);
  });
});
