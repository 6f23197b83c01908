import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import { type AudioFormat, blockBytes, estimated } from './ranged-file.ts';

/**
 * Offset of the first block's data, and offsets in it of the sample rate (20 bits) and the number of samples (36 bits)
 * (RFC 9639, 8.2).
 */
const streamInfoAt = 8;
const rateAt = streamInfoAt + 10;
const samplesAt = streamInfoAt + 13;

/** Sample rates by the code in a frame header (RFC 9639, 9.1.2). Code 0 means the rate of the first block. */
const rates = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000] as const;

/** All frames of a stream share these header fields. Two bytes and an 8-bit checksum alone also occur by chance. */
const minFramesOfKind = 2;

/** FLAC files. The whole file lasts as long as its header or its frames, whichever is more. Skips comments and pictures. */
export const flac: AudioFormat = {
  matches: (head) => head.toString('latin1', 0, 4) === 'fLaC',
  facts: (file) => ({ container: 'FLAC', seconds: Math.max(headerSeconds(file), frameSeconds(file)) }),
  /** Reads the header, and the frames in the first block in case they contradict it. */
  async rangedFacts(file) {
    const head = await file.bytes(0, blockBytes);
    const seconds = headerSeconds(head);
    const maxSeconds = estimated(file, head.length, frameSeconds(head), seconds);
    return { container: 'FLAC', seconds: seconds > 0 ? seconds : undefined, maxSeconds };
  },
};

/** Returns 0 if the encoder did not know the length. */
function headerSeconds(file: Buffer): number {
  const samples = (file.readUInt8(samplesAt) & 0x0f) * 2 ** 32 + file.readUInt32BE(samplesAt + 1);
  return samples / rateOf(file);
}

/** Seconds of all frames, by their headers. A decoder plays every frame, regardless of the length in the first block. */
function frameSeconds(file: Buffer): number {
  const usual = rateOf(file);
  const kinds = new Map<number, { frames: number; seconds: number }>();
  for (let at = file.indexOf(0xff); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const frame = flacFrameAt(file, at);
    if (!frame) continue;
    const kind = kinds.get(frame.kind) ?? { frames: 0, seconds: 0 };
    kind.frames += 1;
    kind.seconds += frame.samples / (frame.rate || rates[frame.rateCode] || usual);
    kinds.set(frame.kind, kind);
  }
  let [seconds, single] = [0, 0];
  for (const kind of kinds.values()) {
    if (kind.frames >= minFramesOfKind) seconds += kind.seconds;
    else single = Math.max(single, kind.seconds);
  }
  return seconds || single;
}

const rateOf = (file: Buffer): number => file.readUInt32BE(rateAt) >>> 12;
