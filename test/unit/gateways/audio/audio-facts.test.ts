import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { audioDuration, audioFacts, rangedFacts } from '#gateways/audio/audio-facts.ts';
import { adts, silence, wavFile } from '#test/audio/files.ts';
import { box, mp4, oggPage, webm, words } from '#test/audio/recordings.ts';

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

describe('a recording of a browser', () => {
  it('of WebM lasts as long as its blocks, though its header has no duration and its parts no size', async () => {
    expect(await audioFacts(webm({ seconds: 3.48 }))).toEqual({ container: 'webm', seconds: 3.48 });
  });

  it.each(['track', 'fragment', 'sample'] as const)('of MP4 lasts as long as its fragments, by the %s', async (by) => {
    expect(await audioFacts(mp4({ seconds: 4, by }))).toEqual({ container: 'mp4', seconds: 4 });
  });

  it('lasts no less than its blocks, whatever its header has', async () => {
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 0.1 }))).seconds).toBe(5);
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 9 }))).seconds).toBe(9);
  });

  it('without sound is refused', async () => {
    await expect(audioFacts(webm({ seconds: 2, trackType: 1 }))).rejects.toThrow('no audio');
    await expect(audioFacts(mp4({ seconds: 2, by: 'sample', handler: 'vide' }))).rejects.toThrow('no audio');
    await expect(audioFacts(webm({ seconds: 0 }))).rejects.toThrow('no audio');
  });

  it('that is cut or broken anywhere is read as far as it goes, or refused, and never for long', async () => {
    const files = [webm({ seconds: 2 }), mp4({ seconds: 2, by: 'sample' })];
    const property = fc.asyncProperty(
      fc.constantFrom(...files),
      fc.nat(),
      fc.nat(),
      fc.nat(255),
      async (file, cut, at, value) => {
        const broken = Buffer.from(file.subarray(0, 8 + (cut % file.length)));
        broken[8 + (at % broken.length)] = value;
        const began = performance.now();
        const facts = await audioFacts(broken).catch((error: unknown) => error);
        if (!(facts instanceof Error)) expect(facts).toMatchObject({ seconds: expect.any(Number) });
        expect(performance.now() - began).toBeLessThan(500);
      },
    );
    await fc.assert(property);
  });
});

/** What is found of a file that is read in parts, and how many. */
async function found(file: Buffer) {
  const parts: [from: number, to: number][] = [];
  const facts = await rangedFacts(file.length, async (from, to) => {
    parts.push([from, to]);
    return file.subarray(from, to);
  });
  return { ...facts, parts };
}

function opus(seconds: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead');
  head.set([1, 1], 8);
  head.writeUInt32LE(16_000, 12);
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  return Buffer.concat([
    oggPage(2, 0n, 0, head),
    oggPage(0, 0n, 1, tags),
    ...Array.from({ length: 50 }, (_, index) => oggPage(0, BigInt(48_000 * index), 2 + index, Buffer.alloc(200))),
    oggPage(4, BigInt(48_000 * seconds), 52, Buffer.alloc(200)),
  ]);
}

describe('the facts of a file that is read in parts', () => {
  it('are those of its header, of which a large file needs a part or two', async () => {
    const { container, seconds, parts } = await found(silence(3600));
    expect([container, seconds]).toEqual(['WAVE', 3600]);
    expect(parts.length).toBeLessThanOrEqual(2);
  });

  it('are those of its last page where that has them', async () => {
    const { container, seconds } = await found(opus(1800));
    expect([container, seconds]).toEqual(['Ogg', 1800]);
  });

  it('have no seconds where only all of it has them, and are found in a bounded part of it', async () => {
    const { container, seconds, parts } = await found(adts(100_000, 200));
    expect([container?.startsWith('ADTS'), seconds]).toEqual([true, undefined]);
    expect(parts.reduce((sum, [from, to]) => sum + to - from, 0)).toBeLessThanOrEqual(16 * 256 * 1024);
  });

  it('have no seconds of MP4 as browsers record it', async () => {
    const file = mp4({ seconds: 4, by: 'sample' });
    expect(await found(file)).toMatchObject({ container: 'mp4', seconds: undefined });
  });

  it('are those of the last cluster of WebM, which has no duration as browsers record it', async () => {
    const { container, seconds, parts } = await found(webm({ seconds: 1200 }));
    expect([container, seconds]).toEqual(['EBML', 1199.98]);
    expect(parts.length).toBeLessThanOrEqual(4);
    expect(await found(webm({ seconds: 2, headerSeconds: 9 }))).toMatchObject({ seconds: 9 });
  });

  it('are those of the tracks of MP4, also where they stand at its end', async () => {
    const header = (seconds: number) => words(0, 0, 0, 1000, seconds * 1000, 0);
    const track = box('mdia', box('mdhd', header(3600)), box('hdlr', words(0, 0), Buffer.from('soun\0')));
    const movie = box('moov', box('mvhd', header(1)), box('trak', box('tkhd', Buffer.alloc(80)), track));
    const file = Buffer.concat([box('ftyp', Buffer.from('M4A \0\0\0\0')), box('mdat', Buffer.alloc(3_000_000)), movie]);
    const { container, seconds, parts } = await found(file);
    expect([container, seconds]).toEqual(['mp4', 3600]);
    expect(parts.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['a length of 0', wavFile({ length: 0, bytes: 8_000_000 })],
    ['a length beyond its end', wavFile({ length: 0xffff_ffff, bytes: 8_000_000 })],
    [
      'a tag before it',
      Buffer.concat([Buffer.from('ID3\u0004\0\0\0\u007f\0\0'), Buffer.alloc(127 * 2 ** 14), silence(1000)]),
    ],
  ])('are those of the samples of WAV with %s', async (_, file) => {
    const { container, seconds, parts } = await found(file);
    expect([container, seconds]).toEqual(['WAVE', 1000]);
    expect(parts.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['words', Buffer.from('These are words, and no audio at all. '.repeat(100))],
    ['a header without its audio', silence(2).subarray(0, 20)],
    ['zeros', Buffer.alloc(100_000)],
  ])('are none of %s', async (_, file) => {
    await expect(found(file)).rejects.toThrow(/./);
  });
});

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
