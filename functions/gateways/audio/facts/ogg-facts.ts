import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import type { AudioFacts } from '#domain/audio/transcription.ts';
import { opusPacketSeconds } from './opus-packet.ts';
import { VorbisPackets } from './vorbis-packets.ts';

/** Offsets in a page (RFC 3533, 6). */
const page = { flags: 5, granule: 6, serial: 14, segments: 26, header: 27 } as const;
const flagOf = { continued: 1, begins: 2 } as const;
/** Rate of Opus, regardless of its source (RFC 7845). */
const opusRate = 48_000;
const noGranule = 0xffff_ffff_ffff_ffffn;

/** Bytes of a packet that are kept, enough for Vorbis's setup header with its codebooks. */
const maxPacketBytes = 64 * 1024;

interface Codec {
  /** Samples per second, the unit of page positions. */
  readonly rate: number;
  /** Seconds of a packet. */
  readonly seconds: (packet: Uint8Array) => number;
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
      return { rate, seconds: (next) => (flacFrameAt(bufferOf(next), 0)?.samples ?? 0) / rate };
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
  open: Uint8Array[];
  openBytes: number;
}

export const isOgg = (bytes: Uint8Array): boolean => findPage(bytes, 0) === 0;

/**
 * Samples per second of the first audio stream, the unit of its positions; undefined if no stream starts in these
 * bytes.
 */
export function oggRate(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = findPage(bytes, 0); at !== -1 && at + page.header <= bytes.length; at = findPage(bytes, at + 1)) {
    const isFirst = view.getUint8(at + page.flags) & flagOf.begins;
    const begun = isFirst && streamAt(bytes, at + page.header + view.getUint8(at + page.segments));
    if (begun) return begun.codec.rate;
  }
  return undefined;
}

/**
 * Seconds of an Ogg file: the sum of its audio streams, each the larger of its packets and its last page position. For
 * Opus only packets count, because they contain all audio. Skips comments. Each step advances by a page.
 */
export function oggFacts(bytes: Uint8Array): AudioFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const streams: Stream[] = [];
  const bySerial = new Map<number, Stream>();
  let at = 0;
  while (at !== -1 && at + page.header <= bytes.length) {
    const flags = view.getUint8(at + page.flags);
    const serial = view.getUint32(at + page.serial, true);
    const lengths = bytes.subarray(at + page.header, at + page.header + view.getUint8(at + page.segments));
    const dataAt = at + page.header + lengths.length;
    if (flags & flagOf.begins) {
      const begun = streamAt(bytes, dataAt);
      if (begun) streams.push(begun);
      if (begun) bySerial.set(serial, begun);
      else bySerial.delete(serial);
    }
    const stream = bySerial.get(serial);
    const granule = view.getBigUint64(at + page.granule, true);
    if (stream && granule !== noGranule) stream.lastGranule = Math.max(stream.lastGranule, Number(granule));
    const next = stream ? addPackets(stream, bytes, dataAt, lengths, flags) : dataAt + sum(lengths);
    at = findPage(bytes, next);
  }
  let seconds = 0;
  for (const { isOpus, codec, lastGranule, seconds: counted } of streams)
    seconds += isOpus ? counted : Math.max(counted, lastGranule / codec.rate);
  return { container: 'Ogg', seconds };
}

/** Adds the packets of a page; a segment of 255 bytes continues in the next one (RFC 3533, 5). Returns the end of the page. */
function addPackets(stream: Stream, bytes: Uint8Array, dataAt: number, lengths: Uint8Array, flags: number): number {
  let [from, to] = [dataAt, dataAt];
  if (!(flags & flagOf.continued)) [stream.open, stream.openBytes] = [[], 0];
  for (const length of lengths) {
    to += length;
    if (length === 255) continue;
    stream.seconds += stream.codec.seconds(joined(stream, bytes.subarray(from, to)));
    from = to;
  }
  if (from < to && stream.openBytes < maxPacketBytes) {
    stream.open.push(bytes.subarray(from, to));
    stream.openBytes += to - from;
  }
  return to;
}

function joined(stream: Stream, part: Uint8Array): Uint8Array {
  if (stream.open.length === 0) return part;
  const packet = Buffer.concat([...stream.open, part]);
  [stream.open, stream.openBytes] = [[], 0];
  return packet;
}

function streamAt(bytes: Uint8Array, at: number): Stream | undefined {
  const packet = bufferOf(bytes).subarray(at);
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

const sum = (lengths: Uint8Array): number => lengths.reduce((total, length) => total + length, 0);

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Offset of the next page; -1 if there is none. */
const findPage = (bytes: Uint8Array, from: number): number => bufferOf(bytes).indexOf('OggS', from, 'latin1');
