import { type AudioFormat, blockBytes, estimated } from './ranged-file.ts';

/** A frame by its header. `at`: its offset. `stream`: equal for all frames of a file. */
interface MpegFrame {
  readonly container: 'MPEG' | 'ADTS';
  readonly at: number;
  readonly bytes: number;
  readonly samples: number;
  readonly rate: number;
  readonly stream: number;
}

/** MPEG audio (MP1, MP2, MP3) and AAC in ADTS. Frames start with eight set bits (ISO 11172-3, ISO 13818-7). */
export const mpeg: AudioFormat = {
  matches: (head) => head[0] === 0xff,
  /** Bytes outside frames and tags count at the rate of the frames, because another decoder may find audio there. */
  facts(file) {
    let container: string | undefined;
    let [seconds, frameBytes, otherBytes, end] = [0, 0, 0, 0];
    for (const frame of mpegFrames(file)) {
      otherBytes += withoutTags(file.subarray(end, frame.at));
      end = frame.at + frame.bytes;
      if (container === undefined && indexIn(file, frame)) continue;
      container ??= frame.container;
      seconds += frame.samples / frame.rate;
      frameBytes += frame.bytes;
    }
    if (container === undefined) throw new Error('the file has no audio');
    otherBytes += withoutTags(file.subarray(end));
    return { container, seconds: seconds * (1 + otherBytes / frameBytes) };
  },
  /** Seconds follow from the frame count in the first frame, or from the file size if the bit rate is constant. */
  async rangedFacts(file) {
    const head = await file.bytes(0, blockBytes);
    const frames = [...mpegFrames(head)];
    const [first] = frames;
    if (!first) throw new Error('the file has no audio');
    const { container, samples, rate, at } = first;
    const secondsOf = (count: number) => (count * samples) / rate;
    const counted = countedFrames(head, first);
    if (counted === undefined && file.size <= head.length) return mpeg.facts(head);
    const bytes = frames.map((frame) => frame.bytes);
    // A frame is up to four bytes longer if the bit rate is not a multiple of the sample rate.
    const isConstant = container === 'MPEG' && Math.max(...bytes) - Math.min(...bytes) <= 4;
    const mean = bytes.reduce((sum, length) => sum + length, 0) / bytes.length;
    const bySize = secondsOf((file.size - at) / mean);
    if (counted === undefined) return { container, seconds: isConstant ? bySize : undefined };
    const seconds = secondsOf(counted);
    return { container, seconds, maxSeconds: estimated(file, file.size, bySize, seconds) };
  },
};

/** Maximum bytes between two frames. A larger gap ends the audio. */
const maxLostBytes = 64 * 1024;

function* mpegFrames(bytes: Buffer): Generator<MpegFrame> {
  let stream: number | undefined;
  let at = 0;
  let lost = 0;
  while (at < bytes.length && lost <= maxLostBytes) {
    const frame = frameAt(bytes, at);
    if (frame && (frame.stream === stream || beginsStream(bytes, frame))) {
      yield frame;
      ({ stream } = frame);
      at += frame.bytes;
      lost = 0;
    } else {
      const next = bytes.indexOf(0xff, at + 1);
      const to = next === -1 ? bytes.length : next;
      lost += to - at;
      at = to;
    }
  }
}

/** Seconds of the frame at the start of these bytes, or 0 without a frame. */
export function mpegFrameSeconds(bytes: Buffer): number {
  const frame = frameAt(bytes, 0);
  return frame ? frame.samples / frame.rate : 0;
}

/** The bits of a header also occur by chance, so the next frame or the end of the file must follow. */
function beginsStream(bytes: Buffer, { at, bytes: length, stream }: MpegFrame): boolean {
  const end = at + length;
  return end === bytes.length || frameAt(bytes, end)?.stream === stream;
}

function frameAt(bytes: Buffer, at: number): MpegFrame | undefined {
  const [sync = 0, kind = 0, rates = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0) return undefined;
  return (kind & 0xf6) === 0xf0 ? adtsFrame(bytes, at) : mpegFrame(at, kind, rates);
}

const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
] as const;

/** ISO 13818-7, 6.2 ("adts_frame"). */
function adtsFrame(bytes: Buffer, at: number): MpegFrame | undefined {
  const [kind = 0, rates = 0, third = 0, fourth = 0, fifth = 0, last = 0] = bytes.subarray(at + 1, at + 7);
  const rate = adtsRates[(rates >> 2) & 0x0f];
  const length = ((third & 0x03) << 11) | (fourth << 3) | (fifth >> 5);
  const headerBytes = kind & 1 ? 7 : 9;
  if (rate === undefined || length <= headerBytes) return undefined;
  const samples = 1024 * ((last & 0x03) + 1);
  return { container: 'ADTS', at, bytes: length, samples, rate, stream: (kind << 8) | (rates & 0xfc) };
}

/** Index of an explicit rate, which follows it (ISO 14496-3, 1.6.3.3). */
const explicitRate = 15;

/** Samples per second in an AAC decoder configuration (ISO 14496-3, "AudioSpecificConfig"), or undefined. */
export function aacRate(config: Buffer): number | undefined {
  const value = (at: number, bits: number): number => {
    let sum = 0;
    for (let bit = at; bit < at + bits; bit += 1) sum = sum * 2 + (((config[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1);
    return sum;
  };
  if (config.length < 2) return undefined;
  const indexAt = value(0, 5) === 31 ? 11 : 5;
  const index = value(indexAt, 4);
  return (index === explicitRate ? value(indexAt + 4, 24) : adtsRates[index]) || undefined;
}

const mpegRates = [44_100, 48_000, 32_000] as const;

/** Bit rates in kbit/s by index, starting at 1: MPEG 1 in layers I, II and III, and MPEG 2 in layers I, II and III. */
const bitRates = {
  one: [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  two: [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
} as const;

/** Divisor of the sample rate, by the version bits: 2.5, reserved, 2, 1. */
const divisors = [4, undefined, 2, 1] as const;

/**
 * ISO 11172-3, 2.4.1.3, and ISO 13818-3. Returns undefined for the free format, whose frames do not show their size.
 */
function mpegFrame(at: number, kind: number, rates: number): MpegFrame | undefined {
  const divisor = divisors[(kind >> 3) & 0x03];
  const layer = 3 - ((kind >> 1) & 0x03);
  const kilobits = bitRates[divisor === 1 ? 'one' : 'two'][layer]?.[(rates >> 4) - 1];
  const fullRate = mpegRates[(rates >> 2) & 0x03];
  if (divisor === undefined || kilobits === undefined || fullRate === undefined) return undefined;
  const rate = fullRate / divisor;
  const padding = (rates >> 1) & 1;
  const samples = layer === 0 ? 384 : layer === 2 && divisor !== 1 ? 576 : 1152;
  const slotBytes = layer === 0 ? 4 : 1;
  const slots = Math.floor((samples * kilobits * 125) / (rate * slotBytes)) + padding;
  return { container: 'MPEG', at, bytes: slots * slotBytes, samples, rate, stream: (kind << 8) | (rates & 0x0c) };
}

/** Marks of a first frame with an index in place of samples (Xing and LAME "Info tag", Fraunhofer "VBRI"). */
const marks = ['Xing', 'Info', 'VBRI'] as const;

/** Bytes at the start of the frame that contain the mark. */
const markWithin = 64;

/** Number of frames according to the index in a first frame; undefined without one. */
function countedFrames(bytes: Buffer, frame: MpegFrame): number | undefined {
  const index = indexIn(bytes, frame);
  if (!index) return undefined;
  const { content, at, name } = index;
  const countAt = at + (name === 'VBRI' ? 14 : 8);
  const hasCount = name === 'VBRI' || (content.length >= at + 8 && (content.readUInt32BE(at + 4) & 1) === 1);
  return hasCount && content.length >= countAt + 4 ? content.readUInt32BE(countAt) : undefined;
}

function indexIn(bytes: Buffer, { container, at, bytes: length }: MpegFrame) {
  if (container !== 'MPEG') return undefined;
  const content = bytes.subarray(at, at + length);
  const head = content.toString('latin1', 0, markWithin);
  const name = marks.find((mark) => head.includes(mark));
  return name && { name, at: head.indexOf(name), content };
}

/** Header of an ID3v2 tag: flags in its sixth byte, then its length in four times seven bits (ID3v2.4, 3.1). */
const tagHeaderBytes = 10;
const footerFlag = 0x10;

/**
 * Length of the ID3v2 tag that a file starts with; 0 without one. Tags are skipped unread: they contain no duration,
 * and a million names in a tag keep a parser busy for minutes.
 */
export function tagLength(bytes: Buffer): number {
  if (bytes.length < tagHeaderBytes || bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [flags = 0, ...sizes] = bytes.subarray(5, tagHeaderBytes);
  const length = sizes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return tagHeaderBytes + length + (flags & footerFlag ? tagHeaderBytes : 0);
}

/** Bytes of an ID3v1 tag at the end of a file, and of an APEv2 footer with the offset of its length. */
const id3v1Bytes = 128;
const apeFooterBytes = 32;
const apeLengthAt = 12;

/** Bytes between frames, without padding and tags. */
function withoutTags(gap: Buffer): number {
  const content = gap.findIndex((byte) => byte !== 0);
  if (content === -1) return 0;
  let rest = gap.subarray(content);
  rest = rest.subarray(tagLength(rest));
  if (rest.length >= id3v1Bytes && rest.toString('latin1', rest.length - id3v1Bytes).startsWith('TAG'))
    rest = rest.subarray(0, -id3v1Bytes);
  const footer = rest.subarray(-apeFooterBytes);
  if (footer.length === apeFooterBytes && footer.toString('latin1', 0, 8) === 'APETAGEX')
    rest = rest.subarray(0, Math.max(0, rest.length - apeFooterBytes - footer.readUInt32LE(apeLengthAt)));
  return rest.length;
}
