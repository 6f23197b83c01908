const bytes = (...values: number[]): Buffer => Buffer.from(values);
const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');

/** An EBML element. An element of unknown size ends with its file. */
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

/** WebM as recorded by Chrome and Firefox: one block per 20 ms, one cluster per second, and no duration. */
export function webm({ seconds, headerSeconds, trackType = 2 }: Recording): Buffer {
  const clusters = Array.from({ length: Math.ceil(seconds) }, (_, second) => {
    const blocks = Array.from({ length: Math.min(50, Math.round((seconds - second) * 50)) }, (_block, at) =>
      element('a3', bytes(0x81, (at * 20) >> 8, (at * 20) & 0xff, 0x80, 1, 2, 3)),
    );
    return endless('1f43b675', Buffer.concat([element('e7', words(second * 1000)), ...blocks]));
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

export const words = (...values: number[]): Buffer => {
  const content = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) content.writeUInt32BE(value, 4 * at);
  return content;
};
export const box = (type: string, ...content: Buffer[]): Buffer => {
  const inner = Buffer.concat(content);
  return Buffer.concat([words(8 + inner.length), Buffer.from(type), inner]);
};

/**
 * MP4 as recorded by Safari (with the duration of the fragment or track) and Chrome (of each sample): one fragment
 * per second.
 */
export function mp4({
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

/** A page of Ogg (RFC 3533). */
export function oggPage(flags: number, granule: bigint, sequence: number, body: Buffer): Buffer {
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
