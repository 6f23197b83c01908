/** A frame of MPEG audio: its place and bytes, and by its header its samples and their rate. `stream` is what frames of one file share. */
export interface MpegFrame {
  readonly container: 'MPEG' | 'ADTS';
  readonly at: number;
  readonly bytes: number;
  readonly samples: number;
  readonly rate: number;
  readonly stream: number;
}

/** Anything else that may stand between two frames; behind more of it there is no audio. */
const maxLostBytes = 64 * 1024;

/** Frames that follow each other; of what is no MPEG audio none. */
export function* mpegFrames(bytes: Uint8Array): Generator<MpegFrame> {
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

/** Seconds of the frame at the start of these bytes; 0 if there is none. */
export function mpegFrameSeconds(bytes: Uint8Array): number {
  const frame = frameAt(bytes, 0);
  return frame ? frame.samples / frame.rate : 0;
}

/** A single header may be chance: another follows, or nothing does. */
function beginsStream(bytes: Uint8Array, { at, bytes: length, stream }: MpegFrame): boolean {
  const end = at + length;
  return end === bytes.length || frameAt(bytes, end)?.stream === stream;
}

function frameAt(bytes: Uint8Array, at: number): MpegFrame | undefined {
  const [sync = 0, kind = 0, rates = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0) return undefined;
  return (kind & 0xf6) === 0xf0 ? adtsFrame(bytes, at) : mpegFrame(at, kind, rates);
}

const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
] as const;

/** ISO 13818-7, 6.2 ("adts_frame"). */
function adtsFrame(bytes: Uint8Array, at: number): MpegFrame | undefined {
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

/** Samples per second in an AAC decoder configuration (ISO 14496-3, "AudioSpecificConfig"); undefined if there are none. */
export function aacRate(config: Uint8Array): number | undefined {
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

/** Thousands of bits a second by index, from 1 on, of MPEG 1 in layers I, II and III, and of MPEG 2 in layer I and in the others. */
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

/** By the bits of the version: half the rates in MPEG 2, a quarter in 2.5. */
const divisors = [4, undefined, 2, 1] as const;

/** ISO 11172-3, 2.4.1.3, and ISO 13818-3; a frame of no fixed rate ("free format") is none. */
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
