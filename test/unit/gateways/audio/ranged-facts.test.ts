import { describe, expect, it } from 'vitest';
import { rangedFacts } from '#gateways/audio/audio-facts.ts';
import { adts, silence, wavFile } from '#test/audio/files.ts';
import { box, mp4, oggPage, webm, words } from '#test/audio/recordings.ts';

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
