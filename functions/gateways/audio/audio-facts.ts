import type { SpeechFormat } from '#contract/audio/speech.ts';
import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import type { AudioFacts } from '#domain/audio/transcription.ts';
import { matroska } from './matroska.ts';
import { mp4 } from './mp4.ts';
import { mpeg, tagLength } from './mpeg.ts';
import { ogg } from './ogg.ts';
import {
  type AudioFormat,
  blockBytes,
  estimated,
  type RangedFacts,
  type RangedFile,
  rangedFile,
  type ReadRange,
  signatureBytes,
} from './ranged-file.ts';
import { wav } from './wav.ts';

/** Maximum seconds of 4 MiB at any bit rate of speech. Only a false header exceeds it. */
const daySeconds = 24 * 60 * 60;

/** Tolerance for a truncated last frame and for rounding. */
const certainFactor = 1.01;

/** Bytes of a second of `pcm`. */
const pcmBytesPerSecond = 48_000;

/**
 * Identifies a file by its content, not by its name. Its seconds are the larger of its frames' and its header's. Skips
 * tags and comments. Takes time linear in the size of the file. Rejects if the file contains no audio.
 */
export async function audioFacts(bytes: Uint8Array): Promise<AudioFacts> {
  let file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let length = tagLength(file); length > 0; length = tagLength(file)) file = file.subarray(length);
  const { container, seconds, maxSeconds = 0 } = formatOf(file, file.length < bytes.length).facts(file);
  if (!(seconds > 0 && seconds <= daySeconds)) throw new Error('the audio has no duration');
  const isUncertain = maxSeconds > certainFactor * seconds;
  return { container, seconds, ...(isUncertain && { maxSeconds: Math.min(maxSeconds, daySeconds) }) };
}

/** Like `audioFacts`, but reads at most 16 blocks of a file of `size` bytes. */
export async function rangedFacts(size: number, read: ReadRange): Promise<RangedFacts> {
  const whole = rangedFile(size, read);
  const file = await afterTags(whole);
  const format = formatOf(await file.bytes(0, signatureBytes), file !== whole);
  const { container, seconds, maxSeconds = 0 } = await format.rangedFacts(file);
  if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds))) throw new Error('the audio has no duration');
  const isUncertain = Number.isFinite(maxSeconds) && maxSeconds > certainFactor * (seconds ?? 0);
  return { container, seconds, ...(isUncertain && { maxSeconds }) };
}

/** Seconds of speech that a model returned. */
export async function audioDuration(bytes: Buffer, format: SpeechFormat): Promise<number> {
  return format === 'pcm' ? bytes.length / pcmBytesPerSecond : (await audioFacts(bytes)).seconds;
}

async function afterTags(file: RangedFile): Promise<RangedFile> {
  const length = tagLength(await file.bytes(0, signatureBytes));
  return length === 0 ? file : afterTags(file.from(length));
}

function formatOf(head: Buffer, hasTag: boolean): AudioFormat {
  const format = [matroska, wav, flac, ogg, mp4].find(({ matches }) => matches(head));
  if (format) return format;
  // MPEG audio may start some bytes after a tag.
  if (!mpeg.matches(head) && !hasTag) throw new Error('the file has no audio');
  return mpeg;
}

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

/**
 * FLAC files. The whole file lasts as long as its header or its frames, whichever is more. Skips comments and pictures.
 */
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

/**
 * Seconds of all frames, by their headers. A decoder plays every frame, regardless of the length in the first block.
 */
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
