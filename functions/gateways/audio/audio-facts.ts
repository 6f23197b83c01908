import type { SpeechFormat } from '#contract/audio/speech.ts';
import type { AudioFacts } from '#domain/audio/transcription.ts';
import { flac } from './flac.ts';
import { matroska } from './matroska.ts';
import { mp4 } from './mp4.ts';
import { mpeg, tagLength } from './mpeg.ts';
import { ogg } from './ogg.ts';
import {
  type AudioFormat,
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
