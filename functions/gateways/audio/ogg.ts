import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import { type AudioFormat, blockBytes, estimated } from './ranged-file.ts';

/** Offsets in a page (RFC 3533, 6). */
const page = { flags: 5, granule: 6, serial: 14, segments: 26, header: 27 } as const;
const flagOf = { continued: 1, begins: 2 } as const;
/** Rate of Opus, regardless of its source (RFC 7845). */
const opusRate = 48_000;
const noGranule = 0xffff_ffff_ffff_ffffn;

/** Bytes of a packet that are kept, enough for Vorbis's setup header with its codebooks. */
const maxPacketBytes = 64 * 1024;

const tailBytes = 64 * 1024;

/** Ogg files. Skips comments. Each step advances by a page. */
export const ogg: AudioFormat = {
  matches: (head) => findPage(head, 0) === 0,
  facts: (file) => ({ container: 'Ogg', seconds: packetSeconds(file) }),
  /** Reads the position of the stream's last page (RFC 3533), and the first packets in case they contradict it. */
  async rangedFacts(file) {
    const head = await file.bytes(0, blockBytes);
    const rate = rateOf(head);
    if (rate === undefined) throw new Error('the file has no audio');
    const tail = await file.bytes(Math.max(0, file.size - tailBytes), file.size);
    const at = tail.lastIndexOf('OggS', undefined, 'latin1');
    const granule = at === -1 || at + 14 > tail.length ? 0 : Number(tail.readBigInt64LE(at + page.granule));
    const seconds = granule / rate;
    const isKnown = seconds > 0 && Number.isFinite(seconds);
    const maxSeconds = estimated(file, head.length, packetSeconds(head), seconds);
    return { container: 'Ogg', seconds: isKnown ? seconds : undefined, maxSeconds };
  },
};

interface Codec {
  /** Samples per second, the unit of page positions. */
  readonly rate: number;
  /** Seconds of a packet. */
  readonly seconds: (packet: Buffer) => number;
}

/** The start of an audio stream, and how to read it. */
const codecs: readonly { readonly magic: string; readonly codecOf: (packet: Buffer) => Codec }[] = [
  { magic: 'OpusHead', codecOf: () => ({ rate: opusRate, seconds: opusPacketSeconds }) },
  {
    magic: '\u0001vorbis',
    codecOf(packet) {
      const packets = new VorbisPackets(packet);
      return { rate: packets.rate, seconds: (next) => packets.seconds(next) };
    },
  },
  {
    magic: '\u007fFLAC',
    codecOf(packet) {
      const rate = packet.readUInt32BE(27) >>> 12;
      return { rate, seconds: (next) => (flacFrameAt(next, 0)?.samples ?? 0) / rate };
    },
  },
  {
    magic: 'Speex   ',
    codecOf(packet) {
      const [rate, mode, frames] = [packet.readUInt32LE(36), packet.readUInt32LE(40), packet.readUInt32LE(64)];
      // A frame lasts 20 ms (The Speex Manual, 7.2). The first two packets are headers.
      const samples = 160 * 2 ** Math.min(mode, 2) * Math.max(1, Math.min(frames, 64));
      let packets = 0;
      return { rate, seconds: () => (packets++ < 2 ? 0 : samples / rate) };
    },
  },
];

interface Stream {
  readonly isOpus: boolean;
  readonly codec: Codec;
  lastGranule: number;
  /** Seconds of its packets. */
  seconds: number;
  /** Packet that continues on the next page. */
  open: Buffer[];
  openBytes: number;
}

/**
 * Samples per second of the first audio stream, the unit of its positions; undefined if no stream starts in these
 * bytes.
 */
function rateOf(file: Buffer): number | undefined {
  for (let at = findPage(file, 0); at !== -1 && at + page.header <= file.length; at = findPage(file, at + 1)) {
    const isFirst = file.readUInt8(at + page.flags) & flagOf.begins;
    const begun = isFirst && streamAt(file.subarray(at + page.header + file.readUInt8(at + page.segments)));
    if (begun) return begun.codec.rate;
  }
  return undefined;
}

/**
 * Total seconds of the audio streams, each the larger of its packets and its last page position. For Opus only packets
 * count, because they contain all audio.
 */
function packetSeconds(file: Buffer): number {
  const streams: Stream[] = [];
  const bySerial = new Map<number, Stream>();
  let at = 0;
  while (at !== -1 && at + page.header <= file.length) {
    const flags = file.readUInt8(at + page.flags);
    const serial = file.readUInt32LE(at + page.serial);
    const lengths = file.subarray(at + page.header, at + page.header + file.readUInt8(at + page.segments));
    const dataAt = at + page.header + lengths.length;
    if (flags & flagOf.begins) {
      const begun = streamAt(file.subarray(dataAt));
      if (begun) streams.push(begun);
      if (begun) bySerial.set(serial, begun);
      else bySerial.delete(serial);
    }
    const stream = bySerial.get(serial);
    const granule = file.readBigUInt64LE(at + page.granule);
    if (stream && granule !== noGranule) stream.lastGranule = Math.max(stream.lastGranule, Number(granule));
    const next = stream ? addPackets(stream, file, dataAt, lengths, flags) : dataAt + sum(lengths);
    at = findPage(file, next);
  }
  let seconds = 0;
  for (const { isOpus, codec, lastGranule, seconds: counted } of streams)
    seconds += isOpus ? counted : Math.max(counted, lastGranule / codec.rate);
  return seconds;
}

/** Adds a page's packets; a segment of 255 bytes continues in the next (RFC 3533, 5). Returns the page's end. */
function addPackets(stream: Stream, file: Buffer, dataAt: number, lengths: Buffer, flags: number): number {
  let [from, to] = [dataAt, dataAt];
  if (!(flags & flagOf.continued)) [stream.open, stream.openBytes] = [[], 0];
  for (const length of lengths) {
    to += length;
    if (length === 255) continue;
    stream.seconds += stream.codec.seconds(joined(stream, file.subarray(from, to)));
    from = to;
  }
  if (from < to && stream.openBytes < maxPacketBytes) {
    stream.open.push(file.subarray(from, to));
    stream.openBytes += to - from;
  }
  return to;
}

function joined(stream: Stream, part: Buffer): Buffer {
  if (stream.open.length === 0) return part;
  const packet = Buffer.concat([...stream.open, part]);
  [stream.open, stream.openBytes] = [[], 0];
  return packet;
}

function streamAt(packet: Buffer): Stream | undefined {
  const head = packet.toString('latin1', 0, 8);
  const codec = codecs.find(({ magic }) => head.startsWith(magic));
  if (!codec) return undefined;
  return {
    isOpus: codec.magic === 'OpusHead',
    codec: codec.codecOf(packet),
    lastGranule: 0,
    seconds: 0,
    open: [],
    openBytes: 0,
  };
}

const sum = (lengths: Buffer): number => lengths.reduce((total, length) => total + length, 0);

/** Offset of the next page, or -1. */
const findPage = (file: Buffer, from: number): number => file.indexOf('OggS', from, 'latin1');

/** Milliseconds of an Opus frame, by coding mode and configuration (RFC 6716, table 2). */
const silk = [10, 20, 40, 60];
const hybrid = [10, 20];
const celt = [2.5, 5, 10, 20];
const maxPacketMs = 120;

/** Seconds of an Opus packet, by its first two bytes; 0 for a header (RFC 7845, 5) or an empty packet. */
export function opusPacketSeconds(packet: Buffer): number {
  const first = packet[0];
  if (first === undefined || isHeader(packet)) return 0;
  const configuration = first >> 3;
  const frameMs =
    (configuration < 12
      ? silk[configuration % 4]
      : configuration < 16
        ? hybrid[configuration % 2]
        : celt[configuration % 4]) ?? 0;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? (packet[1] ?? 0) & 0x3f : 2;
  return Math.min(frames * frameMs, maxPacketMs) / 1000;
}

const firstOfHeader = 0x4f;

const isHeader = (packet: Buffer): boolean =>
  packet[0] === firstOfHeader && ['OpusHead', 'OpusTags'].includes(packet.toString('latin1', 0, 8));

/**
 * Offsets in the identification header of Vorbis: the rate, and the two block sizes as powers of two (Vorbis I, 4.2.2).
 */
const rateAt = 12;
const blocksAt = 28;

const setupType = 5;

/** Maximum modes in a setup header (Vorbis I, 4.2.4). */
const maxModes = 64;
/** Bits of a mode: its block flag, window, transform and mapping. */
const modeBits = 41;

/** Seconds of consecutive packets of a Vorbis stream. Until the setup header is read, every block counts as short. */
export class VorbisPackets {
  readonly rate: number;
  readonly #blocks: readonly [short: number, long: number];
  #longModes: readonly boolean[] = [];
  #before = 0;

  constructor(identification: Buffer) {
    this.rate = identification.length >= rateAt + 4 ? identification.readUInt32LE(rateAt) : 0;
    const sizes = identification[blocksAt] ?? 0;
    this.#blocks = [2 ** (sizes & 0x0f), 2 ** (sizes >> 4)];
  }

  /** Seconds that a packet adds. For an audio packet the first byte is enough. */
  seconds(packet: Buffer): number {
    const first = packet[0] ?? 1;
    if (first === setupType) this.#longModes = longModesOf(packet);
    if ((first & 1) === 1) return 0;
    const modes = this.#longModes.length;
    const mode = modes > 1 ? (first >> 1) & (2 ** Math.ceil(Math.log2(modes)) - 1) : 0;
    const block = this.#blocks[this.#longModes[mode] ? 1 : 0];
    // A block overlaps the one before it by a quarter of each (Vorbis I, 1.3.2).
    const samples = this.#before === 0 ? 0 : (this.#before + block) / 4;
    this.#before = block;
    return this.rate > 0 ? samples / this.rate : 0;
  }
}

/**
 * Which modes have long blocks. The modes are at the end of the setup header, so they are read backwards: each contains
 * 32 zero bits, and their number precedes the first.
 */
function longModesOf(setup: Buffer): boolean[] {
  let end = 8 * setup.length - 1;
  const bit = (at: number): number => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  // The last set bit is the framing flag.
  while (end > 0 && bit(end) === 0) end -= 1;
  const value = (at: number, bits: number): number => {
    let sum = 0;
    for (let index = bits - 1; index >= 0; index -= 1) sum = sum * 2 + bit(at + index);
    return sum;
  };
  const modes: boolean[] = [];
  let found: boolean[] = [];
  for (let at = end - modeBits; at >= 6 && modes.length < maxModes; at -= modeBits) {
    if (value(at + 1, 32) !== 0 || value(at + 33, 8) >= maxModes) break;
    modes.unshift(bit(at) === 1);
    if (value(at - 6, 6) + 1 === modes.length) found = [...modes];
  }
  return found;
}
