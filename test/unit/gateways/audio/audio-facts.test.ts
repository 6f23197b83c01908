import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioDuration, audioFacts, rangedFacts } from '#gateways/audio/audio-facts.ts';
import { adts, joined, silence, wavFile } from '#test/audio/files.ts';
import { box, mp4, oggPage, webm, words } from '#test/audio/recordings.ts';

/** Opus packets of 20 ms each: CELT, one frame. */
const packet = Buffer.alloc(100, 0x9c).fill(0x98, 0, 1);

function page(packets: readonly Buffer[], { granule = 0, flags = 0, serial = 1 } = {}): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[5] = flags;
  head.writeBigInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(serial, 14);
  head[26] = packets.length;
  return joined(head, Buffer.from(packets.map(({ length }) => length)), ...packets);
}

const opusHead = joined('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0');
const second = Array.from({ length: 50 }, () => packet);
const begin = (serial = 1) => page([opusHead], { flags: 2, serial });
const sound = (seconds: number, granule: number, serial = 1) =>
  Array.from({ length: seconds }, () => page(second, { granule, serial }));

describe('the duration of a file', () => {
  const tag = joined('ID3\x04\0\0\0\0\0\x05hello');
  it.each([
    ['whose pages state sample 0', [begin(), ...sound(10, 0)], 10],
    ['whose pages state sample 1', [begin(), ...sound(10, 1)], 10],
    ['whose pages state a sample after 500 s', [begin(), ...sound(10, 48_000 * 500)], 10],
    ['in two consecutive streams', [begin(), ...sound(3, 1), begin(2), ...sound(4, 1, 2)], 7],
  ])('in Opus is the sum of its packets: %s', async (_, pages, expected) => {
    const { container, seconds } = await audioFacts(joined(...pages));
    expect([container, seconds]).toEqual(['Ogg', expect.closeTo(expected, 6)]);
  });

  it('in Vorbis is the position of its last page', async () => {
    const head = Buffer.alloc(30);
    head.write('\u0001vorbis', 'latin1');
    head.writeUInt32LE(44_100, 12);
    const file = joined(page([head], { flags: 2 }), page([packet], { granule: 88_200 }));
    expect(await audioFacts(file)).toEqual({ container: 'Ogg', seconds: 2 });
  });

  it.each([
    ['a length of 0', wavFile({ length: 0 })],
    ['a length beyond its end', wavFile({ length: 0xffff_ffff })],
    ['a list before its samples', wavFile({ more: Buffer.from('LIST\u0004\0\0\0INFO') })],
    ['half of the bytes', wavFile({ length: 500 })],
    ['two tags before it', joined(tag, tag, wavFile())],
  ])('in WAV with %s is that of its samples', async (_, file) => {
    expect(await audioFacts(file)).toEqual({ container: 'WAVE', seconds: 0.125 });
  });

  it.each([
    ['a rate of 0', wavFile({ rate: 0 })],
    ['no samples', wavFile({ bytes: 0, length: 0 })],
    ['more than a day', wavFile({ rate: 1, bytes: 100_000, length: 100_000 })],
  ])('in WAV with %s is refused', async (_, file) => {
    await expect(audioFacts(file)).rejects.toThrow('the audio has no duration');
  });

  it('is found or refused in a truncated file, wherever it is cut', async () => {
    for (const file of [joined(begin(), ...sound(1, 1)), wavFile(), Buffer.from('fLaC')])
      for (let length = 0; length < Math.min(file.length, 400); length += 1)
        await audioFacts(file.subarray(0, length)).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  });
});

describe('a browser recording', () => {
  it('in WebM lasts as long as its blocks, even without a duration or sizes in the header', async () => {
    expect(await audioFacts(webm({ seconds: 3.48 }))).toEqual({ container: 'webm', seconds: 3.48 });
  });

  it.each(['track', 'fragment', 'sample'] as const)('in MP4 lasts as long as its fragments, by the %s', async (by) => {
    expect(await audioFacts(mp4({ seconds: 4, by }))).toEqual({ container: 'mp4', seconds: 4 });
  });

  it('lasts at least as long as its blocks, whatever its header states', async () => {
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 0.1 }))).seconds).toBe(5);
    expect((await audioFacts(webm({ seconds: 5, headerSeconds: 9 }))).seconds).toBe(9);
  });

  it('without sound is refused', async () => {
    await expect(audioFacts(webm({ seconds: 2, trackType: 1 }))).rejects.toThrow('no audio');
    await expect(audioFacts(mp4({ seconds: 2, by: 'sample', handler: 'vide' }))).rejects.toThrow('no audio');
    await expect(audioFacts(webm({ seconds: 0 }))).rejects.toThrow('no audio');
  });

  it('is read as far as possible or refused quickly, wherever it is cut or damaged', async () => {
    const files = [webm({ seconds: 2 }), mp4({ seconds: 2, by: 'sample' })];
    const damage = fc.tuple(fc.constantFrom(...files), fc.nat(), fc.nat(), fc.nat(255));
    const property = fc.asyncProperty(damage, async ([file, cut, at, value]) => {
      const broken = Buffer.from(file.subarray(0, 8 + (cut % file.length)));
      broken[8 + (at % broken.length)] = value;
      const began = performance.now();
      const facts = await audioFacts(broken).catch((error: unknown) => error);
      if (!(facts instanceof Error)) expect(facts).toMatchObject({ seconds: expect.any(Number) });
      expect(performance.now() - began).toBeLessThan(500);
    });
    await fc.assert(property);
  });
});

/** The result of reading a file in parts, and the number of parts. */
async function found(file: Buffer) {
  const parts: [from: number, to: number][] = [];
  const facts = await rangedFacts(file.length, async (from, to) => {
    parts.push([from, to]);
    return file.subarray(from, to);
  });
  return { ...facts, parts };
}

function opus(seconds: number): Buffer {
  const tags = joined('OpusTags', Buffer.alloc(8));
  const sounds = Array.from({ length: 50 }, (_, at) => oggPage(0, BigInt(48_000 * at), 2 + at, Buffer.alloc(200)));
  const last = oggPage(4, BigInt(48_000 * seconds), 52, Buffer.alloc(200));
  return joined(oggPage(2, 0n, 0, opusHead), oggPage(0, 0n, 1, tags), ...sounds, last);
}

describe('a file that is read in ranges', () => {
  function movieAtEnd(seconds: number): Buffer {
    const header = (length: number) => words(0, 0, 0, 1000, length * 1000, 0);
    const track = box('mdia', box('mdhd', header(seconds)), box('hdlr', words(0, 0), Buffer.from('soun\0')));
    const movie = box('moov', box('mvhd', header(1)), box('trak', box('tkhd', Buffer.alloc(80)), track));
    return joined(box('ftyp', Buffer.from('M4A \0\0\0\0')), box('mdat', Buffer.alloc(3_000_000)), movie);
  }
  const tagOf2Mb = joined('ID3\x04\0\0\0\x7f\0\0', Buffer.alloc(127 * 2 ** 14));

  it.each([
    ['the header of WAV', silence(3600), 'WAVE', 3600, 2],
    ['the samples of WAV with a length of 0', wavFile({ length: 0, bytes: 8_000_000 }), 'WAVE', 1000, 3],
    [
      'the samples of WAV with a length beyond its end',
      wavFile({ length: ~0 >>> 0, bytes: 8_000_000 }),
      'WAVE',
      1000,
      3,
    ],
    ['the samples of WAV after a tag', joined(tagOf2Mb, silence(1000)), 'WAVE', 1000, 3],
    ['the last page of Ogg', opus(1800), 'Ogg', 1800, 5],
    ['the last cluster of WebM without a duration', webm({ seconds: 1200 }), 'EBML', 1199.98, 4],
    ['the header of WebM with a duration', webm({ seconds: 2, headerSeconds: 9 }), 'EBML', 9, 4],
    ['the tracks of MP4 at its end', movieAtEnd(3600), 'mp4', 3600, 3],
  ])('has the properties of %s', async (_, file, container, seconds, maxParts) => {
    const { parts, ...facts } = await found(file);
    expect(facts).toMatchObject({ container, seconds });
    expect(parts.length).toBeLessThanOrEqual(maxParts);
  });

  it('has no duration if that requires the whole file, and is read up to a limit', async () => {
    const { container, seconds, parts } = await found(adts(100_000, 200));
    expect([container?.startsWith('ADTS'), seconds]).toEqual([true, undefined]);
    expect(parts.reduce((sum, [from, to]) => sum + to - from, 0)).toBeLessThanOrEqual(16 * 256 * 1024);
  });

  it('has no duration in MP4 as recorded by browsers', async () => {
    const file = mp4({ seconds: 4, by: 'sample' });
    expect(await found(file)).toMatchObject({ container: 'mp4', seconds: undefined });
  });

  it.each([
    ['words', Buffer.from('These are words, and no audio at all. '.repeat(100))],
    ['a header without its audio', silence(2).subarray(0, 20)],
    ['zeros', Buffer.alloc(100_000)],
  ])('of %s is refused', async (_, file) => {
    await expect(found(file)).rejects.toThrow(/./);
  });
});

it("a model's WAV file without a sample rate is refused", async () => {
  await expect(audioDuration(wavFile({ rate: 0 }), 'wav')).rejects.toThrow('the audio has no duration');
});

it("a model's AAC file of empty frames is read up to a limit", async () => {
  const file = Buffer.alloc(4_000_000, Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x00, 0xff, 0xfc]));
  await expect(audioDuration(file, 'aac')).rejects.toThrow(/more parts|no audio/);
});

it('raw samples last as long as their bytes', async () => {
  expect(await audioDuration(Buffer.alloc(24_000), 'pcm')).toBe(0.5);
});
