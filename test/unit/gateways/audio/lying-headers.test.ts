import { describe, expect, it } from 'vitest';
import { audioFacts, rangedFacts } from '#gateways/audio/audio-facts.ts';
import { adts, joined, wavFile } from '#test/audio/files.ts';
import { box, mp4, oggPage, webm, words } from '#test/audio/recordings.ts';

const seconds = 8;

const little = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const format = (rate: number): Buffer => joined('\x01\0\x01\0', little(rate), little(rate), '\x01\0\x08\0');

/** A WAV at 8 kHz. Its remaining samples are in a chunk that only some decoders skip. */
const wavInJunk = (): Buffer => {
  const file = wavFile({ length: 1000, bytes: 8000 * seconds });
  joined('JUNK', little(8000 * seconds - 1008)).copy(file, 44 + 1000);
  return file;
};

/** MP3 frames: MPEG 2, layer III, 8 kbit/s, 24 kHz, 24 ms each. */
const mp3Frame = Buffer.concat([Buffer.from('fff314c4', 'hex'), Buffer.alloc(20)]);
const mp3 = (counted?: number): Buffer => {
  const frames = Array.from({ length: Math.ceil(seconds / 0.024) }, () => mp3Frame);
  if (counted === undefined) return Buffer.concat(frames);
  const facts = joined('\xff\xf3\xc4\xc4', Buffer.alloc(9), 'Xing', words(1, counted));
  return joined(facts, Buffer.alloc(480 - facts.length), ...frames);
};

function crc8(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value & 0x80 ? 0x107 : 0);
  }
  return value & 0xff;
}

/** A FLAC frame with 4,096 samples, at 8 kHz according to its own header. */
const flacFrame = (number: number) => {
  const head = Buffer.from([0xff, 0xf8, 0xc4, 0x08, number & 0x7f]);
  return joined(head, Buffer.of(crc8(head)), Buffer.alloc(500, 0x55));
};
const flacFrames = Array.from({ length: Math.ceil((8000 * seconds) / 4096) }, (_, at) => flacFrame(at));
const flacInfo = (samples: number, rate: number): Buffer =>
  joined('\x10\0\x10', Buffer.alloc(7), words(((rate << 12) | 0xf0) >>> 0, samples), Buffer.alloc(16));
const flacMark = 'fLaC\x80\0\0\x22';
const flac = (samples: number, rate = 8000): Buffer => joined(flacMark, flacInfo(samples, rate), ...flacFrames);

const opusHead = Buffer.from('OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0', 'latin1');
const speexFields = [16_000, 1, 4, 1, 28_000, 320, 0, 1, 0, 0, 0];
const speexHead = joined('Speex   1.2'.padEnd(36, '\0'), ...speexFields.map(little));

/** Bits of a Vorbis setup header, lowest first: two modes, with short and long blocks, and the framing flag. */
function vorbisSetup(): Buffer {
  const mode = (isLong: number) => [isLong, ...Array.from({ length: 40 }, () => 0)];
  const bits = [1, 0, 0, 0, 0, 0, ...mode(0), ...mode(1), 1];
  const end = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) end[at >> 3] = (end[at >> 3] ?? 0) | (bit << (at & 7));
  return joined('\x05vorbis', Buffer.alloc(40, 0xaa), end);
}
const vorbisHead = joined('\x01vorbis\0\0\0\0\x01', little(8000), Buffer.alloc(12), '\xb8\x01');

/** A stream of packets whose pages all state the same position. */
const ogg = (granule: bigint, heads: readonly Buffer[], packets: number, packet: (at: number) => Uint8Array): Buffer =>
  joined(
    ...heads.map((head, at) => oggPage(at === 0 ? 2 : 0, 0n, at, head)),
    ...Array.from({ length: packets }, (_, at) => oggPage(0, granule, at + heads.length, Buffer.from(packet(at)))),
  );
/** CELT, 20 ms per packet. */
const opusPacket = Buffer.alloc(100, 0x98);

/** Unfragmented MP4 with AAC: 1,024 samples per frame, 16 kHz according to the decoder configuration. */
const m4aDefaults = { duration: 8000 * seconds, timescale: 8000, rate: 16_000, codec: 'mp4a', frames: 125 };
function m4a(changed: Partial<typeof m4aDefaults> = {}): Buffer {
  const { duration, timescale, rate, codec, frames } = { ...m4aDefaults, ...changed };
  const decoder = Buffer.from([3, 25, 0, 1, 0, 4, 17, 0x40, 0x15, ...Buffer.alloc(11), 5, 2, 0x14, 0x08]);
  const esds = box('esds', words(0), decoder);
  const entry = box(codec, Buffer.alloc(16), Buffer.from([0, 1, 0, 16, 0, 0, 0, 0]), words(rate * 65_536), esds);
  const sizes = box('stsz', words(0, 0, frames, ...Array.from({ length: frames }, () => 9)));
  const table = box('stbl', box('stsd', words(0, 1), entry), sizes);
  const times = words(0, 0, 0, timescale, duration, 0);
  const handler = box('hdlr', words(0, 0), Buffer.from('soun\0'));
  const media = box('mdia', box('mdhd', times), handler, box('minf', table));
  const movie = box('moov', box('mvhd', times), box('trak', box('tkhd', Buffer.alloc(80)), media));
  return joined(box('ftyp', Buffer.from('M4A \0\0\0\0')), movie, box('mdat', Buffer.alloc(9 * frames)));
}

/** Replaces the value of every element or field with these bytes. */
function replaced(file: Buffer, from: string, to: string): Buffer {
  const text = file.toString('hex');
  expect(text).toContain(from);
  return Buffer.from(text.replaceAll(from, to), 'hex');
}

/** Files of 8 s, each with a header that states fewer. */
const files: Readonly<Record<string, () => Buffer>> = {
  'WAV whose data have 4,000 bytes': () => wavFile({ length: 4000, bytes: 8000 * seconds }),
  'WAV whose data have a byte': () => wavFile({ length: 1, bytes: 8000 * seconds }),
  'WAV whose data go on in another chunk': wavInJunk,
  'WAV with a second format': () =>
    wavFile({ length: 8000 * seconds, bytes: 8000 * seconds, more: joined('fmt ', little(16), format(192_000)) }),
  'WAV of µ-law with a high rate of bytes': () => {
    const file = wavFile({ length: 8000 * seconds, bytes: 8000 * seconds });
    file.writeUInt16LE(7, 20);
    file.writeUInt32LE(0xffff_ffff, 28);
    return file;
  },
  'WAV of ADPCM with a high rate of bytes': () => {
    const file = wavFile({ length: 4000 * seconds, bytes: 4000 * seconds });
    file.writeUInt16LE(2, 20);
    file.writeUInt32LE(0xffff_ffff, 28);
    file.writeUInt16LE(4, 34);
    return file;
  },
  'MP3 whose header counts one frame': () => mp3(1),
  'MP3 with bytes that no header has': () => joined(mp3().subarray(0, 20 * 24), Buffer.alloc(8000 - 20 * 24, 0x55)),
  'AAC with bytes that no header has': () => joined(adts(20, 128), Buffer.alloc(16_000 - 20 * 128, 0x55)),
  'FLAC whose first block has one sample': () => flac(1),
  'FLAC whose first block has no samples': () => flac(0),
  'FLAC whose first block has another rate': () => flac(8000 * seconds, 655_350),
  'Ogg of Opus whose pages name the first sample': () => ogg(1n, [opusHead], 50 * seconds, () => opusPacket),
  'Ogg of Vorbis whose pages name the first sample': () =>
    ogg(1n, [vorbisHead, Buffer.from('\u0003vorbis'), vorbisSetup()], Math.ceil((8000 * seconds) / 1024) + 1, () =>
      Buffer.alloc(100, 2),
    ),
  'Ogg of FLAC whose pages name the first sample': () =>
    ogg(1n, [joined('\x7fFLAC\x01\0\0\x01', flacMark, flacInfo(1, 8000))], flacFrames.length, (at) =>
      (flacFrames[at] ?? Buffer.alloc(200)).subarray(0, 200),
    ),
  'Ogg of Speex whose pages name the first sample': () =>
    ogg(1n, [speexHead, Buffer.from('tags')], 50 * seconds, () => Buffer.alloc(40, 0x55)),
  'WebM whose header has a tenth of a second, and its blocks one time': () =>
    replaced(webm({ seconds, headerSeconds: 0.1 }), '2ad7b1100000030f4240', '2ad7b110000003000001'),
  'MP4 whose headers have one unit': () => m4a({ duration: 1 }),
  'MP4 whose units are small': () => m4a({ timescale: 0xffff_fff0 }),
  'MP4 whose entry has another rate than its decoder': () => m4a({ duration: 1, rate: 48_000 }),
  'MP4 of Opus whose headers have one unit': () => m4a({ duration: 1, codec: 'Opus', frames: 50 * seconds }),
  'MP4 in fragments whose samples last one unit': () => {
    const head = box('moof', box('traf', box('tfhd', words(8, 0, 1)), box('trun', words(0x200, 1, 128))));
    const fragment = joined(head, box('mdat', Buffer.alloc(128)));
    return joined(m4a({ duration: 0, frames: 0 }), ...Array.from({ length: 125 }, () => fragment));
  },
};

describe('a file of 8 s', () => {
  it.each(Object.entries(files))('%s counts as at least 8 s, or 8 s are held for it', async (_, make) => {
    const { seconds: own, maxSeconds = own } = await audioFacts(make());
    expect(Math.max(own, maxSeconds)).toBeGreaterThan(seconds - 0.2);
    expect(own).toBeLessThan(seconds + 1);
  });

  it.each(Object.entries(files))('%s has 8 s held for it if it is read from storage', async (_, make) => {
    const file = make();
    const facts = await rangedFacts(file.length, async (from, to) => file.subarray(from, to));
    const { seconds: own = facts.maxSeconds ?? file.length / 2000, maxSeconds = own } = facts;
    expect(Math.max(own, maxSeconds)).toBeGreaterThan(seconds - 0.6);
  });

  it('in a recorded MP4 counts as the duration in its header, if that is true', async () => {
    expect(await audioFacts(m4a())).toEqual({ container: 'mp4', seconds });
    expect(await audioFacts(mp4({ seconds, by: 'sample' }))).toEqual({ container: 'mp4', seconds });
  });
});
