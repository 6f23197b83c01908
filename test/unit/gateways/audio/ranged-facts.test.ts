import { describe, expect, it } from 'vitest';
import { rangedFacts } from '#gateways/audio/ranged-facts.ts';
import { adts, silence } from '#test/audio/long-audio.ts';

/** What is found of a file that is read in parts, and how many. */
async function found(file: Buffer) {
  const parts: [from: number, to: number][] = [];
  const facts = await rangedFacts(file.length, async (from, to) => {
    parts.push([from, to]);
    return file.subarray(from, to);
  });
  return { ...facts, parts };
}

/** A page of Ogg (RFC 3533). */
function oggPage(flags: number, granule: bigint, sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS');
  head[5] = flags;
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(7, 14);
  head.writeUInt32LE(sequence, 18);
  head[26] = 1;
  head[27] = body.length;
  return Buffer.concat([head, body]);
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

  it.each([
    ['WebM', Buffer.from([0x1a, 0x45, 0xdf, 0xa3, ...Array.from({ length: 2000 }, () => 0x80)]), 'EBML'],
    ['MP4', Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0'), Buffer.from('mvex'), Buffer.alloc(2000)]), 'mp4'],
  ])('have no seconds of %s as browsers record it', async (_, file, container) => {
    expect(await found(file)).toMatchObject({ container, seconds: undefined });
  });

  it.each([
    ['words', Buffer.from('These are words, and no audio at all. '.repeat(100))],
    ['a header without its audio', silence(2).subarray(0, 20)],
    ['zeros', Buffer.alloc(100_000)],
  ])('are none of %s', async (_, file) => {
    await expect(found(file)).rejects.toThrow(/./);
  });
});
