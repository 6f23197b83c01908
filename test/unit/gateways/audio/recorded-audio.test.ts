import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioFacts } from '#gateways/audio-facts.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');

/** An element of EBML; one whose size is unknown ends where its file does. */
const element = (id: string, content: Buffer): Buffer =>
  Buffer.concat([
    hex(id),
    bytes(0x10 | (content.length >> 24), content.length >> 16, content.length >> 8, content.length),
    content,
  ]);
const endless = (id: string, content: Buffer): Buffer => Buffer.concat([hex(id), hex('01ffffffffffffff'), content]);

interface Recording {
  readonly seconds: number;
  readonly headerSeconds?: number;
  readonly trackType?: number;
}

/** As Chrome and Firefox record WebM: a block each 20 ms, a cluster each second, and no duration. */
function webm({ seconds, headerSeconds, trackType = 2 }: Recording): Buffer {
  const clusters = Array.from({ length: Math.ceil(seconds) }, (_, second) => {
    const blocks = Array.from({ length: Math.min(50, Math.round((seconds - second) * 50)) }, (_block, at) =>
      element('a3', bytes(0x81, (at * 20) >> 8, (at * 20) & 0xff, 0x80, 1, 2, 3)),
    );
    return endless(
      '1f43b675',
      Buffer.concat([element('e7', bytes((second * 1000) >> 8, (second * 1000) & 0xff)), ...blocks]),
    );
  });
  const length = Buffer.alloc(8);
  length.writeDoubleBE((headerSeconds ?? 0) * 1000);
  const info = [element('2ad7b1', hex('0f4240')), ...(headerSeconds === undefined ? [] : [element('4489', length)])];
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    endless(
      '18538067',
      Buffer.concat([
        element('1549a966', Buffer.concat(info)),
        element(
          '1654ae6b',
          element('ae', Buffer.concat([element('83', bytes(trackType)), element('86', Buffer.from('A_OPUS'))])),
        ),
        ...clusters,
      ]),
    ),
  ]);
}

const words = (...values: number[]): Buffer => {
  const content = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) content.writeUInt32BE(value, 4 * at);
  return content;
};
const box = (type: string, ...content: Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([words(8 + inner.length), Buffer.from(type), inner]);
};

/** As Safari (the fragment's duration, or the track's) and Chrome (one of each sample) record MP4: a fragment a second. */
function mp4({
  seconds,
  by,
  handler = 'soun',
}: {
  seconds: number;
  by: 'track' | 'fragment' | 'sample';
  handler?: string;
}): Buffer {
  const [timescale, sample] = [48_000, 960];
  const run = Array.from({ length: 50 }, () => [sample, 3]).flat();
  const fragment = box(
    'moof',
    box('mfhd', words(0, 1)),
    box(
      'traf',
      by === 'fragment' ? box('tfhd', words(0x20008, 1, sample)) : box('tfhd', words(0x20000, 1)),
      by === 'sample' ? box('trun', words(0x301, 50, 0, ...run)) : box('trun', words(0x1, 50, 0)),
    ),
  );
  return Buffer.concat([
    box('ftyp', Buffer.from('iso5\0\0\0\0')),
    box(
      'moov',
      box('mvhd', Buffer.alloc(100)),
      box(
        'trak',
        box('tkhd', words(3, 0, 0, 1), Buffer.alloc(68)),
        box(
          'mdia',
          box('mdhd', words(0, 0, 0, timescale, 0, 0)),
          box('hdlr', words(0, 0), Buffer.from(`${handler}\0`)),
        ),
      ),
      box('mvex', box('trex', words(0, 1, 1, by === 'track' ? sample : 7, 0, 0))),
    ),
    ...Array.from({ length: seconds }, () => [fragment, box('mdat', Buffer.alloc(150))]).flat(),
  ]);
}

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
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.nat(), fc.nat(255), async (file, cut, at, value) => {
        const broken = Buffer.from(file.subarray(0, 8 + (cut % file.length)));
        broken[8 + (at % broken.length)] = value;
        const began = performance.now();
        const facts = await audioFacts(broken).catch((error: unknown) => error);
        if (!(facts instanceof Error)) expect(facts).toMatchObject({ seconds: expect.any(Number) });
        expect(performance.now() - began).toBeLessThan(500);
      }),
    );
  });
});
