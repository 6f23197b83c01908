import { describe, expect, test } from 'vitest';
import { audioFacts } from '#gateways/audio/audio-facts.ts';
import { wavFile } from '#test/audio/files.ts';

/** Of Opus, 20 ms each: CELT, one frame. */
const packet = Buffer.alloc(100, 0x9c).fill(0x98, 0, 1);

function page(packets: readonly Buffer[], { granule = 0, flags = 0, serial = 1 } = {}): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[5] = flags;
  head.writeBigInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(serial, 14);
  head[26] = packets.length;
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets]);
}

const opusHead = Buffer.from('OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0', 'latin1');
const begin = (serial = 1) => page([opusHead], { flags: 2, serial });
const sound = (seconds: number, granule: number, serial = 1) =>
  Array.from({ length: seconds }, () =>
    page(
      Array.from({ length: 50 }, () => packet),
      { granule, serial },
    ),
  );

describe('the seconds of a file', () => {
  test.each([0, 1, 48_000 * 500])(
    'of Opus are those of its packets, where its pages name sample %d',
    async (granule) => {
      const { container, seconds } = await audioFacts(Buffer.concat([begin(), ...sound(10, granule)]));
      expect(container).toBe('Ogg');
      expect(seconds).toBeCloseTo(10, 6);
    },
  );

  test('of Opus are those of each stream that follows another', async () => {
    const streams = [begin(), ...sound(3, 1), begin(2), ...sound(4, 1, 2)];
    expect((await audioFacts(Buffer.concat(streams))).seconds).toBeCloseTo(7, 6);
  });

  test('of Vorbis are those of its last page', async () => {
    const head = Buffer.alloc(30);
    head.write('\u0001vorbis', 'latin1');
    head.writeUInt32LE(44_100, 12);
    const file = Buffer.concat([page([head], { flags: 2 }), page([packet], { granule: 88_200 })]);
    expect(await audioFacts(file)).toEqual({ container: 'Ogg', seconds: 2 });
  });

  test.each([
    ['a length of 0', { length: 0 }, 0.125],
    ['a length beyond its end', { length: 0xffff_ffff }, 0.125],
    ['a list before its samples', { more: Buffer.from('LIST\u0004\0\0\0INFO') }, 0.125],
    ['half of the bytes', { length: 500 }, 0.125],
  ])('of WAV with %s are those of its samples', async (_, made, seconds) => {
    expect(await audioFacts(wavFile(made))).toEqual({ container: 'WAVE', seconds });
  });

  test.each([
    ['a rate of 0', wavFile({ rate: 0 })],
    ['no samples', wavFile({ bytes: 0, length: 0 })],
    ['more than a day', wavFile({ rate: 1, bytes: 100_000, length: 100_000 })],
  ])('of WAV with %s are none', async (_, file) => {
    await expect(audioFacts(file)).rejects.toThrow('the audio has no duration');
  });

  test('behind a tag are those of what follows it', async () => {
    const tag = Buffer.from('ID3\u0004\0\0\0\0\0\u0005hello', 'latin1');
    expect((await audioFacts(Buffer.concat([tag, tag, wavFile()]))).seconds).toBe(0.125);
  });

  test('of any bytes are found or refused, and never waited for', async () => {
    for (const file of [begin(), Buffer.concat([begin(), ...sound(1, 1)]), wavFile(), Buffer.from('fLaC')]) {
      for (let length = 0; length < Math.min(file.length, 400); length += 1) {
        await audioFacts(file.subarray(0, length)).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }
    }
  });
});
