import type { AudioFacts } from '#domain/audio/transcription.ts';
import { opusPacketSeconds } from './opus-packet.ts';

/** Offsets in a page (RFC 3533, 6). */
const page = { flags: 5, granule: 6, serial: 14, segments: 26, header: 27 } as const;
const flagOf = { continued: 1, begins: 2 } as const;
/** Of Opus, whatever it was made of (RFC 7845). */
const opusRate = 48_000;
const noGranule = 0xffff_ffff_ffff_ffffn;

/** What a stream of audio begins with, and where its samples a second are, big-endian in FLAC alone. Opus has its packets' own. */
const codecs: readonly { readonly magic: string; readonly rateOf: (view: DataView, at: number) => number }[] = [
  { magic: 'OpusHead', rateOf: () => 0 },
  { magic: '\u0001vorbis', rateOf: (view, at) => view.getUint32(at + 12, true) },
  { magic: '\u007fFLAC', rateOf: (view, at) => view.getUint32(at + 27) >>> 12 },
  { magic: 'Speex   ', rateOf: (view, at) => view.getUint32(at + 36, true) },
];

interface Stream {
  readonly isOpus: boolean;
  readonly rate: number;
  lastGranule: number;
  /** Of its packets, as far as they have them. */
  seconds: number;
}

export const isOgg = (bytes: Uint8Array): boolean => findPage(bytes, 0) === 0;

/** Samples a second, as positions in the stream count them, of the first stream of audio; undefined where none begins in these bytes. */
export function oggRate(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = findPage(bytes, 0); at !== -1 && at + page.header <= bytes.length; at = findPage(bytes, at + 1)) {
    const isFirst = view.getUint8(at + page.flags) & flagOf.begins;
    const begun = isFirst && streamAt(bytes, view, at + page.header + view.getUint8(at + page.segments));
    if (begun) return begun.isOpus ? opusRate : begun.rate;
  }
  return undefined;
}

/**
 * Seconds of an Ogg file, of each stream of audio that it has one after the other: by the packets of Opus, whatever its pages name, else
 * by the pages. No comments are read. Each step goes on by a page or to the next one.
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
      const begun = streamAt(bytes, view, dataAt);
      if (begun) streams.push(begun);
      if (begun) bySerial.set(serial, begun);
      else bySerial.delete(serial);
    }
    const stream = bySerial.get(serial);
    const granule = view.getBigUint64(at + page.granule, true);
    if (stream && granule !== noGranule) stream.lastGranule = Math.max(stream.lastGranule, Number(granule));
    let next = dataAt;
    let isStart = !(flags & flagOf.continued);
    for (const length of lengths) {
      if (stream?.isOpus && isStart) stream.seconds += opusPacketSeconds(bytes.subarray(next, next + length));
      isStart = length < 255;
      next += length;
    }
    at = findPage(bytes, next);
  }
  let seconds = 0;
  for (const { isOpus, rate, lastGranule, seconds: counted } of streams) {
    seconds += isOpus ? counted : lastGranule / rate;
  }
  return { container: 'Ogg', seconds };
}

function streamAt(bytes: Uint8Array, view: DataView, at: number): Stream | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(8, bytes.length - at)).toString('latin1');
  const codec = codecs.find(({ magic }) => head.startsWith(magic));
  if (!codec) return undefined;
  return { isOpus: head === 'OpusHead', rate: codec.rateOf(view, at), lastGranule: 0, seconds: 0 };
}

/** Where the next page begins; -1 where none does. */
const findPage = (bytes: Uint8Array, from: number): number =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf('OggS', from, 'latin1');
