import { expect, test } from 'vitest';
import { audioDuration } from '#gateways/audio/audio-facts.ts';

test('a WAV file of a model without a rate has no duration, and is no speech', async () => {
  const file = Buffer.from(
    '524946462c00000057415645666d7420100000000100010000000000000000000100080064617461080000000000000000000000',
    'hex',
  );
  await expect(audioDuration(file, 'wav')).rejects.toThrow('the audio has no duration');
});

test('a file of AAC that a model made of empty frames is read within a bound', async () => {
  const file = Buffer.alloc(4_000_000, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc]));
  await expect(audioDuration(file, 'aac')).rejects.toThrow(/more parts|no audio/);
});

test('samples without a header last as long as their bytes', async () => {
  expect(await audioDuration(Buffer.alloc(24_000), 'pcm')).toBe(0.5);
});
